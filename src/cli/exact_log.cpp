// SPDX-License-Identifier: Apache-2.0
#include "cli/exact_log.hpp"

#include <algorithm>

namespace weir::cli {

namespace {

constexpr unsigned log_percent = 90;

bool refuses(const limiter::HitVerdict& hit) {
  return hit.outcome.status != Outcome::Status::decided || !hit.outcome.decision.allowed;
}

/// Whether a hit is not charged, whatever its own limit says: an enforced limit depends on the
/// other enforced ones, a shadow rule's on those and on the others of its rule.
bool others_refuse(const rules::Match& match, std::span<const limiter::HitVerdict> verdicts,
                   std::size_t self) {
  for (std::size_t at = 0; at < verdicts.size(); ++at) {
    const auto part = match.hits[at].part;
    const bool counts = part == 0 || part == match.hits[self].part;
    if (at != self && counts && refuses(verdicts[at])) return true;
  }
  return false;
}

}  // namespace

ExactLogs::ExactLogs(const rules::RuleSet& rules, const Options& options)
    : secret_(options.secret),
      // A log that is forgotten would be no measure any more: what does not fit is not compared.
      table_({.memory_bytes = options.memory_bytes,
              .when_full = WhenFull::deny,
              .log_percent = log_percent}) {
  for (const auto* rule_limit : rules.all_limits()) {
    const Limit& limit = rule_limit->limit.limit;
    logs_.emplace_back(sliding_log(limit.count(), limit.period()));
  }
}

Key ExactLogs::key_of(const rules::Match& match, const rules::Hit& hit) const {
  KeyBuilder key(secret_);
  key.add(match.keys[hit.key]);
  key.add(hit.limit->rule);
  key.add(hit.limit->name);
  return key.key();
}

std::span<const std::optional<bool>> ExactLogs::ask(Time now, const rules::Match& match,
                                                    const limiter::Verdict& verdict) {
  ops_.clear();
  for (std::size_t at = 0; at < match.hits.size(); ++at) {
    const auto& hit = match.hits[at];
    const bool charged = !others_refuse(match, verdict.hits, at);
    ops_.push_back({.key = key_of(match, hit),
                    .limit = &logs_[hit.limit->index],
                    .cost = hit.cost,
                    .request = static_cast<std::uint32_t>(at),
                    .verb = charged ? Verb::acquire : Verb::peek});
  }
  outcomes_.assign(ops_.size(), {});
  StoreBatch batch;
  batch.now = now;
  batch.ops = ops_;
  batch.outcomes = outcomes_;
  table_.apply(batch);
  answers_.assign(ops_.size(), {});
  for (std::size_t at = 0; at < ops_.size(); ++at) {
    const auto& outcome = outcomes_[at];
    if (outcome.status == Outcome::Status::decided) answers_[at] = outcome.decision.allowed;
  }
  return answers_;
}

}  // namespace weir::cli
