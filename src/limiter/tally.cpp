// SPDX-License-Identifier: Apache-2.0
#include "limiter/tally.hpp"

#include <algorithm>

namespace weir::limiter {

void Tally::count(const rules::RuleLimit& limit, const Outcome& outcome) noexcept {
  Row& row = rows_[std::min<std::size_t>(limit.index, rows_.size() - 1)];
  if (outcome.decision.authority == Authority::fallback) row.fallback.add();
  if (outcome.status == Outcome::Status::let_through) return row.allowed.add();
  if (outcome.status != Outcome::Status::decided) return row.unavailable.add();
  (outcome.decision.allowed ? row.allowed : row.refused).add();
}

std::shared_ptr<Tally> TallyBook::open(std::shared_ptr<const Ruling> ruling,
                                       const std::shared_ptr<Tally>& old) {
  auto tally = std::make_shared<Tally>(std::move(ruling));
  const std::lock_guard lock(mutex_);
  if (old != nullptr) close_locked(old);
  open_.push_back(tally);
  return tally;
}

void TallyBook::close(const std::shared_ptr<Tally>& tally) {
  const std::lock_guard lock(mutex_);
  close_locked(tally);
}

void TallyBook::close_locked(const std::shared_ptr<Tally>& tally) {
  add(*tally, closed_);
  closed_forbidden_ += tally->forbidden_.value();
  closed_exempt_ += tally->exempt_.value();
  std::erase(open_, tally);
}

void TallyBook::add(const Tally& tally, Counts& counts) {
  const auto add_row = [&counts](Name name, bool shared, const Tally::Row& row) {
    auto& sum = counts[std::move(name)];
    sum.shared |= shared;
    sum.allowed += row.allowed.value();
    sum.refused += row.refused.value();
    sum.unavailable += row.unavailable.value();
    sum.fallback += row.fallback.value();
  };
  for (const auto* limit : tally.ruling_->rules().all_limits()) {
    add_row({limit->rule, limit->name, limit->shadow}, limit->shared.has_value(),
            tally.rows_[limit->index]);
  }
  const bool asked_shared = tally.ruling_->rules().asked_store().has_value();
  add_row({"", "*", false}, asked_shared, tally.rows_.back());
}

std::vector<DecisionCount> TallyBook::counts() const {
  Counts sums;
  {
    const std::lock_guard lock(mutex_);
    sums = closed_;
    for (const auto& tally : open_) add(*tally, sums);
  }
  std::vector<DecisionCount> result;
  result.reserve(sums.size());
  for (auto& [name, count] : sums) {
    std::tie(count.rule, count.limit, count.shadow) = name;
    result.push_back(std::move(count));
  }
  return result;
}

std::uint64_t TallyBook::forbidden() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = closed_forbidden_;
  for (const auto& tally : open_) sum += tally->forbidden_.value();
  return sum;
}

std::uint64_t TallyBook::exempt() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = closed_exempt_;
  for (const auto& tally : open_) sum += tally->exempt_.value();
  return sum;
}

}  // namespace weir::limiter
