// SPDX-License-Identifier: Apache-2.0
#include "cli/replayer.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "cli/config_file.hpp"

namespace weir::cli {

namespace {

/// A logged request as the rules see it. It views into the log and into itself.
class ReplayedRequest {
 public:
  explicit ReplayedRequest(const LoggedRequest& logged) {
    std::size_t size = 0;
    const auto add = [&](std::string_view name, std::string_view value) {
      if (!value.empty()) headers_[size++] = {name, value};
    };
    add("user-agent", logged.user_agent);
    add("referer", logged.referer);
    request_ = {.method = logged.method,
                .host = {},
                .target = logged.target,
                .headers = std::span(headers_).first(size),
                .entries = {},
                .client = rules::Address::parse(logged.client),
                .peer = {},
                .cost = {}};
  }
  ReplayedRequest(const ReplayedRequest&) = delete;
  ReplayedRequest& operator=(const ReplayedRequest&) = delete;

  [[nodiscard]] const rules::Request& get() const noexcept { return request_; }

 private:
  std::array<rules::Header, 2> headers_;
  rules::Request request_;
};

bool is_refused(const limiter::HitVerdict& hit) {
  return hit.outcome.status == Outcome::Status::decided && !hit.outcome.decision.allowed;
}

bool is_admitted(const limiter::HitVerdict& hit) {
  return hit.outcome.status == Outcome::Status::decided && hit.outcome.decision.allowed;
}

}  // namespace

Replayer::Replayer(const rules::Config& config, const RequestLog& log)
    : log_(log),
      rules_(config.rules),
      secret_(KeySecret::random()),
      table_(table_options(config)),
      engine_(rules_, table_, secret_),
      batch_(engine_),
      exact_(*rules_, {.memory_bytes = config.memory_bytes, .secret = secret_}) {
  report_.first = log[0].time;
  report_.last = log[log.size() - 1].time;
  report_.requests = log.size();
  report_.timeline.emplace(Timeline::Span{report_.first, report_.last});
  add_rows();
}

void Replayer::add_rows() {
  rows_.resize(rules_->all_limits().size());
  for (const auto* limit : rules_->all_limits()) {
    if (!limit->rule.empty()) rows_[limit->index] = row_for(*limit);
  }
}

Replayer::Row Replayer::row_for(const rules::RuleLimit& limit) {
  const auto rule = std::ranges::find(tallies_, limit.rule,
                                      [](const RuleTally& tally) { return tally.report.name; });
  const auto rule_index = static_cast<std::size_t>(rule - tallies_.begin());
  if (rule == tallies_.end()) {
    auto& report = tallies_.emplace_back().report;
    report.name = limit.rule;
    report.shadow = limit.shadow;
  }
  auto& limits = tallies_[rule_index].report.limits;
  const auto known = std::ranges::find(limits, limit.name, &LimitReport::name);
  const auto limit_index = static_cast<std::size_t>(known - limits.begin());
  if (known == limits.end()) limits.push_back({.name = limit.name, .limit = limit.limit.limit});
  return {rule_index, limit_index};
}

ReplayReport Replayer::run(std::size_t top, Progress& progress) {
  for (std::size_t index = 0; index < log_.size(); ++index) {
    replay(index);
    progress.step("requests replayed");
  }
  find_top(top);
  for (auto& tally : tallies_) report_.rules.push_back(std::move(tally.report));
  return std::move(report_);
}

void Replayer::replay(std::size_t index) {
  const auto logged = log_[index];
  const ReplayedRequest request(logged);
  batch_.clear(logged.time);
  const auto asked = batch_.add_request(request.get(), Verb::acquire);
  batch_.decide();
  const auto& verdict = batch_.verdict(asked);
  count_verdict(verdict, logged.time);
  match_.clear();
  rules_->match(request.get(), secret_, match_);
  assert(match_.hits.size() == verdict.hits.size());
  count_hits(verdict, index, logged.time);
}

void Replayer::count_verdict(const limiter::Verdict& verdict, Time time) {
  const bool admitted = verdict.status == limiter::Status::allowed;
  report_.timeline->count(time, admitted);
  switch (verdict.status) {
    case limiter::Status::allowed: ++report_.admitted; break;
    case limiter::Status::refused: ++report_.refused; break;
    case limiter::Status::forbidden: ++report_.forbidden; break;
    case limiter::Status::unavailable: ++report_.unavailable; break;
  }
  if (!admitted) return;
  if (verdict.rule != nullptr) {
    ++report_.exempt;
  } else if (verdict.limit == nullptr) {
    ++report_.unlimited;
  }
  if (verdict.delay > Duration::zero()) ++report_.delayed;
  report_.longest_delay = std::max(report_.longest_delay, verdict.delay);
}

void Replayer::count_hits(const limiter::Verdict& verdict, std::size_t index, Time time) {
  const auto exact = exact_.ask(time, match_, verdict);
  for (std::size_t at = 0; at < exact.size(); ++at) count_limit(verdict.hits[at], exact[at]);
  for (std::size_t first = 0; first < match_.hits.size();) {
    const auto key = match_.hits[first].key;  // each rule that applies has its own
    auto last = first;
    while (last < match_.hits.size() && match_.hits[last].key == key) ++last;
    count_rule(verdict.hits.subspan(first, last - first), match_.keys[key], index);
    first = last;
  }
}

void Replayer::count_limit(const limiter::HitVerdict& hit, std::optional<bool> exact) {
  const auto row = rows_[hit.limit->index];
  auto& limit = tallies_[row.rule].report.limits[row.limit];
  const bool admitted = is_admitted(hit);
  const bool refused = is_refused(hit);
  ++limit.requests;
  if (admitted) ++limit.admitted;
  if (refused) ++limit.refused;
  if (!exact || (!admitted && !refused)) {
    ++limit.not_compared;
  } else if (admitted != *exact) {
    ++(admitted ? limit.false_admissions : limit.false_refusals);
  }
}

void Replayer::count_rule(std::span<const limiter::HitVerdict> hits, const Key& key,
                          std::size_t index) {
  auto& tally = tallies_[rows_[hits.front().limit->index].rule];
  ++tally.report.requests;
  if (std::ranges::any_of(hits, is_refused)) {
    ++tally.report.refused;
    tally.keys.count(key, index);
  } else if (std::ranges::all_of(hits, is_admitted)) {
    ++tally.report.admitted;
  }
}

void Replayer::find_top(std::size_t top) {
  for (auto& [report, keys] : tallies_) {
    report.refused_keys = keys.size();
    report.keys_are_counted_in_part = keys.others() > 0;
    for (const auto& refused : keys.top(top)) {
      const ReplayedRequest example(log_[refused.example]);
      report.top_refused.push_back({rules_->key_text(example.get(), report.name), refused.count});
    }
  }
}

}  // namespace weir::cli
