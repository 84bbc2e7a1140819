// SPDX-License-Identifier: Apache-2.0
// The way of a batch: what is asked where, in which round, and how the answers come back.
#include "limiter/flight.hpp"

#include <algorithm>
#include <utility>

namespace weir::limiter {

RoutedStore::Flight::Flight(RoutedStore& router) : router_(router) {
  for (std::size_t site = 0; site < router_.sites_.size(); ++site) {
    legs_.push_back(std::make_unique<Leg>());
    legs_.back()->flight = this;
    legs_.back()->site = site;
  }
  fallbacks_.resize(router_.sites_.size());
}

Store::Applied RoutedStore::Flight::start(std::unique_ptr<Flight> self,
                                          StoreBatch& batch) noexcept {
  batch_ = &batch;
  falls_back_.assign(batch.ops.size(), 0);
  const auto size = static_cast<std::uint32_t>(batch.ops.size());
  for (std::uint32_t first = 0; first < size;) {
    std::uint32_t last = first + 1;
    while (last < size && op(last).request == op(first).request) ++last;
    plan(first, last);
    first = last;
  }
  while (fly()) {
    settle_round();
    if (tasks_.empty() && refunds_.empty()) {
      finish();
      router_.give_back(std::move(self));
      return Applied::now;
    }
  }
  self_ = std::move(self);
  return Applied::later;
}

std::uint32_t RoutedStore::Flight::part_end(std::uint32_t first, std::uint32_t end) const noexcept {
  std::uint32_t last = first + 1;
  while (last < end && op(last).part == op(first).part) ++last;
  return last;
}

bool RoutedStore::Flight::stand_together(std::uint32_t left, std::uint32_t right) const noexcept {
  const Op& one = op(left);
  const Op& other = op(right);
  if (one.shared == nullptr || other.shared == nullptr) return one.shared == other.shared;
  if (one.shared->store != other.shared->store) return false;
  const Store& store = *router_.sites_[one.shared->store]->site.store;
  return store.place_of(one.subject) == store.place_of(other.subject);
}

bool RoutedStore::Flight::stands_in_one_place(std::uint32_t first,
                                              std::uint32_t last) const noexcept {
  for (std::uint32_t at = first + 1; at < last; ++at) {
    if (!stand_together(first, at)) return false;
  }
  return true;
}

void RoutedStore::Flight::plan(std::uint32_t first, std::uint32_t last) {
  if (op(first).verb != Verb::acquire) {
    for (std::uint32_t at = first; at < last; ++at) {
      tasks_.push_back({.kind = Task::Kind::single, .first = at, .last = at + 1, .end = at + 1});
    }
  } else if (stands_in_one_place(first, last)) {
    tasks_.push_back({.kind = Task::Kind::whole, .first = first, .last = last, .end = last});
  } else if (op(first).part == 0) {
    tasks_.push_back({.first = first, .last = part_end(first, last), .end = last});
  } else {
    plan_shadows({.first = first, .last = first, .end = last}, true);  // nothing is enforced
    tasks_.insert(tasks_.end(), next_tasks_.begin(), next_tasks_.end());
    next_tasks_.clear();
  }
}

void RoutedStore::Flight::plan_shadows(const Task& enforced, bool charge) {
  for (std::uint32_t first = enforced.last; first < enforced.end;) {
    const std::uint32_t last = part_end(first, enforced.end);
    next_tasks_.push_back({.charge = charge, .first = first, .last = last, .end = last});
    first = last;
  }
}

void RoutedStore::Flight::add_question(std::uint32_t index, Verb verb, std::uint16_t part) {
  Leg& leg = *legs_[op(index).shared->store];
  leg.questions.push_back(op(index));
  leg.questions.back().verb = verb;
  leg.questions.back().part = part;
  leg.questions.back().request = leg.requests;
  leg.origins.push_back(index);
}

void RoutedStore::Flight::ask(const Task& task) {
  if (task.kind == Task::Kind::part) return ask_apart(task);
  if (op(task.first).shared == nullptr) return;
  for (std::uint32_t at = task.first; at < task.last; ++at) {
    add_question(at, op(at).verb, op(at).part);
  }
  ++legs_[op(task.first).shared->store]->requests;
}

/// Asks each place once for all of the part's counters that stand there.
void RoutedStore::Flight::ask_apart(const Task& task) {
  for (std::uint32_t at = task.first; at < task.last; ++at) {
    if (op(at).shared == nullptr) continue;
    const auto is_earlier = [&](std::uint32_t other) { return stand_together(other, at); };
    bool asked = false;
    for (std::uint32_t other = task.first; other < at && !asked; ++other) asked = is_earlier(other);
    if (asked) continue;
    for (std::uint32_t other = at; other < task.last; ++other) {
      if (!stand_together(at, other)) continue;
      add_question(other, task.charge ? Verb::acquire : Verb::peek, 0);
    }
    ++legs_[op(at).shared->store]->requests;
  }
}

/// Sends what this round asks. True where all answers are there already.
bool RoutedStore::Flight::fly() noexcept {
  for (const auto& leg : legs_) {
    leg->questions.clear();
    leg->origins.clear();
    leg->requests = 0;
  }
  for (const auto index : refunds_) {
    add_question(index, Verb::refund, 0);
    ++legs_[op(index).shared->store]->requests;
  }
  refunds_.clear();
  for (const auto& task : tasks_) ask(task);
  open_legs_ = 1;  // this call: no answer ends the round before all is sent
  for (const auto& leg : legs_) {
    if (leg->questions.empty()) continue;
    leg->answers.resize(leg->questions.size());
    leg->now = batch_->now;
    leg->deadline = batch_->deadline;
    leg->ops = leg->questions;
    leg->outcomes = leg->answers;
    leg->on_complete = [](StoreBatch& done) noexcept {
      auto& landed = static_cast<Leg&>(done);
      landed.flight->land(landed);
      if (--landed.flight->open_legs_ == 0) landed.flight->go_on();
    };
    ++open_legs_;
    if (router_.sites_[leg->site]->site.store->apply(*leg) == Applied::now) {
      land(*leg);
      --open_legs_;
    }
  }
  return --open_legs_ == 0;
}

void RoutedStore::Flight::land(Leg& leg) noexcept {
  Site& site = *router_.sites_[leg.site];
  bool reached = true;
  for (std::size_t at = 0; at < leg.origins.size(); ++at) {
    const auto origin = leg.origins[at];
    reached &= leg.answers[at].status != Outcome::Status::unavailable;
    if (leg.questions[at].verb == Verb::refund && op(origin).verb != Verb::refund) {
      take_numbers_of_refund(origin, leg.answers[at]);
    } else {
      outcome(origin) = leg.answers[at];
    }
  }
  reached ? site.answered(batch_->now) : site.failed(batch_->now);
}

/// What was taken and given back: the numbers are those that stand.
void RoutedStore::Flight::take_numbers_of_refund(std::uint32_t index,
                                                 const Outcome& refund) noexcept {
  if (refund.status != Outcome::Status::decided) return;
  outcome(index).decision.remaining = refund.decision.remaining;
  outcome(index).decision.reset_after = refund.decision.reset_after;
}

void RoutedStore::Flight::go_on() noexcept {
  do {
    settle_round();
    if (tasks_.empty() && refunds_.empty()) return finish();
  } while (fly());
}

void RoutedStore::Flight::finish() noexcept {
  for (auto& fallback : fallbacks_) fallback.reset();
  StoreBatch& batch = *std::exchange(batch_, nullptr);
  if (!self_) return;  // within `start`
  router_.give_back(std::move(self_));
  batch.on_complete(batch);  // last: the asker may end or ask anew
}

}  // namespace weir::limiter
