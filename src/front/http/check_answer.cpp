// SPDX-License-Identifier: Apache-2.0
#include "front/http/check_answer.hpp"

#include <charconv>

#include "front/json_string.hpp"

namespace weir::front {

namespace {

using limiter::HitVerdict;
using limiter::Status;
using limiter::Verdict;

void append_number(std::string_view before, std::uint64_t number, std::string& out) {
  char digits[20];
  out += before;
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_span(std::string_view before, Duration span, std::string& out) {
  if (span != never) return append_number(before, static_cast<std::uint64_t>(span.count()), out);
  out += before;
  out += "null";
}

void append_text(std::string_view before, std::string_view text, std::string& out) {
  out += before;
  append_json_string(text, out);
}

/// The numbers of a limit that was asked; of one that could not be asked there are none.
void append_numbers(const Decision& decision, Duration delay, std::string& out) {
  append_number(R"(,"capacity":)", decision.capacity, out);
  append_number(R"(,"remaining":)", decision.remaining, out);
  append_span(R"(,"retry_after_ns":)", decision.retry_after, out);
  append_span(R"(,"reset_after_ns":)", decision.reset_after, out);
  append_span(R"(,"delay_ns":)", delay, out);
}

constexpr std::string_view no_limit =
    R"(,"capacity":null,"remaining":null,"retry_after_ns":0,"reset_after_ns":0,"delay_ns":0)";
constexpr std::string_view no_numbers =
    R"(,"capacity":null,"remaining":null,"retry_after_ns":null,"reset_after_ns":null,"delay_ns":0)";

void append_hit(const HitVerdict& hit, std::string& out) {
  const bool decided = hit.outcome.status == Outcome::Status::decided;
  const auto& decision = hit.outcome.decision;
  append_text(R"({"limit":)", hit.limit->name, out);
  if (!hit.limit->rule.empty()) append_text(R"(,"rule":)", hit.limit->rule, out);
  append_number(R"(,"cost":)", hit.cost, out);
  out += hit.limit->shadow ? R"(,"shadow":true)" : R"(,"shadow":false)";
  out += hit.outcome.admits() ? R"(,"allowed":true)" : R"(,"allowed":false)";
  if (decided) {
    append_numbers(decision, decision.delay, out);
  } else {
    out += no_numbers;
  }
  out += '}';
}

void append_hits(std::span<const HitVerdict> hits, std::string& out) {
  out += R"(,"hits":[)";
  for (const auto& hit : hits) {
    if (&hit != hits.data()) out += ',';
    append_hit(hit, out);
  }
  out += ']';
}

/// Why a request is not allowed, where no limit's numbers tell it.
std::string_view reason_of(Status status) noexcept {
  switch (status) {
    case Status::unavailable: return R"(,"reason":"unavailable")";
    case Status::forbidden: return R"(,"reason":"forbidden")";
    case Status::allowed:
    case Status::refused: break;
  }
  return {};
}

/// The rule of the limit that decides, else the one that exempts or forbids.
const std::string* rule_of(const Verdict& verdict) noexcept {
  if (verdict.limit == nullptr) return verdict.rule;
  return verdict.limit->rule.empty() ? nullptr : &verdict.limit->rule;
}

}  // namespace

void append_check_result(const Verdict& verdict, bool hits, std::string& out) {
  const bool allowed = verdict.status == Status::allowed;
  out += allowed ? R"({"allowed":true)" : R"({"allowed":false)";
  if (verdict.limit != nullptr) {
    append_text(R"(,"limit":)", verdict.limit->name, out);
  } else {
    out += R"(,"limit":null)";
  }
  if (const auto* rule = rule_of(verdict)) append_text(R"(,"rule":)", *rule, out);
  if (verdict.limit != nullptr && verdict.status != Status::unavailable) {
    append_numbers(verdict.decision, verdict.delay, out);
  } else {
    out += allowed ? no_limit : no_numbers;
  }
  out += R"(,"authority":")";
  out += to_string(verdict.decision.authority);
  out += '"';
  out += reason_of(verdict.status);
  if (hits) append_hits(verdict.hits, out);
  out += '}';
}

}  // namespace weir::front
