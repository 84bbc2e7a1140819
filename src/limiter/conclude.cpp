// SPDX-License-Identifier: Apache-2.0
#include "limiter/conclude.hpp"

#include <algorithm>

#include "store/strictest.hpp"

namespace weir::limiter {

namespace {

/// How grave an outcome is: the gravest one of an ask is its status.
Status status_of(const Outcome& outcome) noexcept {
  if (outcome.status == Outcome::Status::let_through) return Status::allowed;
  if (outcome.status != Outcome::Status::decided) return Status::unavailable;
  return outcome.decision.allowed ? Status::allowed : Status::refused;
}

int gravity(Status status) noexcept {
  switch (status) {
    case Status::allowed: return 0;
    case Status::unavailable: return 1;
    case Status::refused: return 2;
    case Status::forbidden: return 3;
  }
  return 0;
}

bool outweighs(const HitVerdict& left, const HitVerdict& right) noexcept {
  const Status left_status = status_of(left.outcome);
  const Status right_status = status_of(right.outcome);
  if (left_status != right_status) return gravity(left_status) > gravity(right_status);
  const bool left_blind = left.outcome.status == Outcome::Status::let_through;
  const bool right_blind = right.outcome.status == Outcome::Status::let_through;
  if (left_blind != right_blind) return right_blind;  // who has numbers goes before who has none
  return is_stricter(left.outcome.decision, right.outcome.decision);
}

}  // namespace

Verdict conclude(std::span<const HitVerdict> hits, std::size_t enforced) noexcept {
  Verdict verdict;
  verdict.hits = hits;
  verdict.decision.allowed = true;
  if (enforced == 0) return verdict;
  const HitVerdict* deciding = &hits[0];
  for (const auto& hit : hits.subspan(1, enforced - 1)) {
    if (outweighs(hit, *deciding)) deciding = &hit;
  }
  verdict.status = status_of(deciding->outcome);
  if (deciding->outcome.status != Outcome::Status::let_through) verdict.limit = deciding->limit;
  verdict.decision = deciding->outcome.decision;
  if (verdict.status != Status::allowed) return verdict;
  for (const auto& hit : hits.first(enforced)) {
    verdict.delay = std::max(verdict.delay, hit.outcome.decision.delay);
  }
  return verdict;
}

}  // namespace weir::limiter
