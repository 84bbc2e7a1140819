// SPDX-License-Identifier: Apache-2.0
#include "front/headers.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>

#include "front/json_string.hpp"

namespace weir::front {

namespace {

using limiter::Status;
using limiter::Verdict;

/// Whole seconds, rounded up. `span` is not negative.
std::uint64_t ceil_seconds(Duration span) noexcept {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(span);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(seconds.count(), 0));
}

/// `span + more` without overflow.
Duration saturating_sum(Duration span, Duration more) noexcept {
  return more > never - span ? never : span + more;
}

/// A span from 0 to `most`, evenly spread over what `random` may be.
Duration share_of(Duration most, std::uint64_t random) noexcept {
  if (most <= Duration::zero()) return {};
  const auto parts = static_cast<unsigned __int128>(most.count()) + 1;
  return Duration{static_cast<std::int64_t>(parts * random >> 64)};
}

/// A failure policy that admits has no limit's numbers to tell.
bool has_numbers(const Verdict& verdict) noexcept {
  if (verdict.limit == nullptr) return false;
  if (verdict.status == Status::refused) return true;
  return verdict.status == Status::allowed && verdict.decision.authority != Authority::fallback;
}

void add_numbers(const Decision& decision, const rules::HeaderConfig& config, Time now,
                 HeaderFields& fields) noexcept {
  fields.add("X-RateLimit-Limit", decision.capacity);
  // An idle queue has room for one more than may wait: the one that starts at once.
  fields.add("X-RateLimit-Remaining", std::min(decision.remaining, decision.capacity));
  if (decision.reset_after == never) return;
  const Duration reset = config.reset_as_epoch
                             ? saturating_sum(now.time_since_epoch(), decision.reset_after)
                             : decision.reset_after;
  fields.add("X-RateLimit-Reset", ceil_seconds(reset));
}

struct ProblemText {
  std::string_view head;  // up to the place of the limit's name, where it has one
  std::string_view tail;
};

ProblemText problem_text(Status status) noexcept {
  switch (status) {
    case Status::refused:
      return {R"({"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",)"
              R"("title":"Quota exceeded","status":429,"violated-policies":[)",
              "]}\n"};
    case Status::unavailable:
      return {
          R"({"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",)"
          R"("title":"The limit cannot be told at the moment","status":503})",
          "\n"};
    case Status::forbidden:
      return {R"({"type":"about:blank","title":"Forbidden","status":403,)"
              R"("detail":"The request lacks what it is to be counted by."})",
              "\n"};
    case Status::allowed: break;
  }
  assert(false && "an admitted request is no problem");
  return {};
}

}  // namespace

int http_status(Status status) noexcept {
  switch (status) {
    case Status::allowed: return 200;
    case Status::refused: return 429;
    case Status::unavailable: return 503;
    case Status::forbidden: return 403;
  }
  return 500;
}

HeaderField::HeaderField(std::string_view name, std::uint64_t number) noexcept : name_(name) {
  const auto end = std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr;
  size_ = static_cast<std::size_t>(end - text_.data());
}

HeaderField::HeaderField(std::string_view name, std::string_view text) noexcept
    : name_(name), size_(text.size()) {
  assert(text.size() <= text_.size());
  text.copy(text_.data(), text_.size());
}

HeaderFields render_headers(const Verdict& verdict, const rules::HeaderConfig& config, Time now,
                            std::uint64_t random) noexcept {
  HeaderFields fields;
  if (has_numbers(verdict)) add_numbers(verdict.decision, config, now, fields);
  if (verdict.status == Status::allowed) return fields;
  const auto wait = verdict.decision.retry_after;
  if (verdict.status == Status::refused && wait != never) {
    const auto told = saturating_sum(wait, share_of(config.retry_jitter, random));
    fields.add("Retry-After", std::max<std::uint64_t>(ceil_seconds(told), 1));
  }
  fields.add("Cache-Control", std::string_view("no-store"));
  return fields;
}

void append_problem(const Verdict& verdict, std::string& out) {
  const auto text = problem_text(verdict.status);
  out += text.head;
  if (verdict.status == Status::refused) append_json_string(verdict.limit->name, out);
  out += text.tail;
}

}  // namespace weir::front
