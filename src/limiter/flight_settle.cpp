// SPDX-License-Identifier: Apache-2.0
// What the answers of a round come to: who admits, what the failure policies say, what is decided
// in this process, and what must be given back.
#include <algorithm>

#include "limiter/flight.hpp"

namespace weir::limiter {

namespace {

/// An answer of the policy `allow`: there are no numbers to tell.
Outcome let_through(const Op& op) noexcept {
  Outcome outcome{.decision = {}, .status = Outcome::Status::let_through};
  outcome.decision.allowed = true;
  outcome.decision.authority = Authority::fallback;
  outcome.decision.limit = op.limit->limit.count();
  outcome.decision.capacity = op.limit->limit.capacity();
  return outcome;
}

}  // namespace

void RoutedStore::Flight::settle_round() noexcept {
  for (const auto& task : tasks_) settle(task);
  tasks_.clear();
  std::swap(tasks_, next_tasks_);
}

void RoutedStore::Flight::settle(const Task& task) noexcept {
  switch (task.kind) {
    case Task::Kind::single: settle_single(task); break;
    case Task::Kind::whole: settle_whole(task); break;
    case Task::Kind::part: {
      const bool admitted = settle_part(task);
      if (op(task.first).part == 0) plan_shadows(task, admitted);
    }
  }
}

void RoutedStore::Flight::settle_single(const Task& task) noexcept {
  apply_policy(task.first);
  for (Nearby nearby = 0; nearby <= router_.sites_.size(); ++nearby) {
    if (concerns(nearby, task)) static_cast<void>(decide_nearby(nearby, task, {}));
  }
}

/// A request that one place was asked: it has decided, or all of it is lost.
void RoutedStore::Flight::settle_whole(const Task& task) noexcept {
  if (op(task.first).shared == nullptr) {
    static_cast<void>(decide_nearby(0, task, {}));
    return;
  }
  if (outcome(task.first).status != Outcome::Status::unavailable) return;
  bool admitted = true;
  for (std::uint32_t first = task.first; first < task.end;) {
    const std::uint32_t last = part_end(first, task.end);
    const bool part_admits =
        settle_part({.charge = admitted, .first = first, .last = last, .end = last});
    if (op(first).part == 0) admitted = part_admits;
    first = last;
  }
}

/// Whether the part admits. What it takes in this process is taken here; what a shared store has
/// taken for it in vain is noted, to be given back.
bool RoutedStore::Flight::settle_part(const Task& task) noexcept {
  bool charge = answers_admit(task) && task.charge;
  charge = nearby_admits(task, charge) && charge;
  if (charge || !task.charge) return charge;
  for (std::uint32_t at = task.first; at < task.last; ++at) {
    if (was_charged(task, at)) refunds_.push_back(at);
  }
  return false;
}

/// Where the store was out of reach, the limit's failure policy speaks: at once, or by its share.
void RoutedStore::Flight::apply_policy(std::uint32_t index) noexcept {
  const bool lost =
      op(index).shared != nullptr && outcome(index).status == Outcome::Status::unavailable;
  if (!lost) return;
  switch (op(index).shared->on_failure) {
    case OnStoreFailure::allow: outcome(index) = let_through(op(index)); break;
    case OnStoreFailure::deny: outcome(index).decision.authority = Authority::fallback; break;
    case OnStoreFailure::local: falls_back_[index] = 1; break;
  }
}

/// Whether all that is not decided in this process admits.
bool RoutedStore::Flight::answers_admit(const Task& task) noexcept {
  bool all = true;
  for (std::uint32_t at = task.first; at < task.last; ++at) {
    apply_policy(at);
    if (op(at).shared == nullptr || falls_back_[at] != 0) continue;
    all &= outcome(at).admits();
  }
  return all;
}

/// Decides what stands in this process, one after the other. They are one decision: where one
/// refuses, those before it are given back, and those behind it are only looked at.
bool RoutedStore::Flight::nearby_admits(const Task& task, bool charge) noexcept {
  bool all = true;
  for (Nearby nearby = 0; nearby <= router_.sites_.size(); ++nearby) {
    if (!concerns(nearby, task)) continue;
    const bool take = charge && all;
    all &= decide_nearby(nearby, task, take ? Verb::acquire : Verb::peek);
    if (all || !take) continue;
    for (Nearby before = 0; before < nearby; ++before) {
      if (concerns(before, task)) static_cast<void>(decide_nearby(before, task, Verb::refund));
    }
  }
  return all;
}

bool RoutedStore::Flight::concerns(Nearby nearby, std::uint32_t index) const noexcept {
  if (nearby == 0) return op(index).shared == nullptr;
  return falls_back_[index] != 0 && op(index).shared->store == nearby - 1;
}

bool RoutedStore::Flight::concerns(Nearby nearby, const Task& task) const noexcept {
  for (std::uint32_t at = task.first; at < task.last; ++at) {
    if (concerns(nearby, at)) return true;
  }
  return false;
}

/// Decides the task's ops that stand there, as one request. Without a verb they are asked as they
/// are, with their own verbs and parts; with one, the task is one part. Whether all admit.
bool RoutedStore::Flight::decide_nearby(Nearby nearby, const Task& task,
                                        std::optional<Verb> verb) noexcept {
  nearby_ops_.clear();
  nearby_origins_.clear();
  for (std::uint32_t at = task.first; at < task.last; ++at) {
    if (!concerns(nearby, at)) continue;
    Op& local = nearby_ops_.emplace_back(op(at));
    if (verb) {
      local.verb = *verb;
      local.part = 0;
    }
    if (nearby != 0) local.limit = &local.shared->share;
    nearby_origins_.push_back(at);
  }
  nearby_outcomes_.resize(nearby_ops_.size());
  StoreBatch batch;
  batch.now = batch_->now;
  batch.ops = nearby_ops_;
  batch.outcomes = nearby_outcomes_;
  store_of(nearby).apply(batch);

  bool all = true;
  for (std::size_t at = 0; at < nearby_origins_.size(); ++at) {
    const auto index = nearby_origins_[at];
    all &= nearby_outcomes_[at].admits();
    if (verb == Verb::refund) {
      take_numbers_of_refund(index, nearby_outcomes_[at]);
      continue;
    }
    outcome(index) = nearby_outcomes_[at];
    if (nearby != 0) outcome(index).decision.authority = Authority::fallback;
  }
  return all;
}

/// Whether a shared store has taken the op's units: it did if all that it was asked with admitted.
bool RoutedStore::Flight::was_charged(const Task& task, std::uint32_t index) const noexcept {
  if (op(index).shared == nullptr) return false;
  for (std::uint32_t at = task.first; at < task.last; ++at) {
    if (!stand_together(index, at)) continue;
    const bool decided = falls_back_[at] == 0 && outcome(at).status == Outcome::Status::decided;
    if (!decided || !outcome(at).decision.allowed) return false;
  }
  return true;
}

Store& RoutedStore::Flight::store_of(Nearby nearby) {
  if (nearby == 0) return router_.table_;
  auto& fallback = fallbacks_[nearby - 1];
  if (!fallback) fallback = router_.sites_[nearby - 1]->fallback();
  return *fallback;
}

}  // namespace weir::limiter
