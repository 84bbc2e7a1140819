// SPDX-License-Identifier: Apache-2.0
#include "redis/mover.hpp"

namespace weir::redis {

using wire::resp::Node;
using wire::resp::Reply;

bool Mover::is_tried(Time now, const Key& to) noexcept {
  Tried& tried = tried_[to.lo % tried_.size()];
  if (tried.to == to && now - tried.at < std::chrono::minutes{1}) return true;
  tried = {to, now};
  return false;
}

void Mover::start(const Task& task) {
  Moving& moving = movings_.take();
  const CarryOver& move = task.move;
  const Op from{.key = move.from,
                .subject = move.subject,
                .limit = move.before,
                .shared = move.shared_before,
                .cost = 0,
                .verb = Verb::peek};
  Op to = from;
  to.key = move.to;
  to.limit = move.after;
  to.shared = move.shared_after;
  moving.mover = this;
  moving.task = task;
  moving.ops = {from, to};
  moving.is_known = false;
  moving.slot = task.slot;
  moving.deadline = task.deadline;
  moving.bytes.clear();
  moving.ends.clear();
  moving.on_reply = [](Exchange& exchange, std::size_t, const Reply& reply) noexcept {
    look(static_cast<Moving&>(exchange), reply);
  };
  moving.on_end = [](Exchange& exchange, Exchange::End end) noexcept {
    auto& self = static_cast<Moving&>(exchange);
    self.mover->looked(self, end);
  };
  codec_.ask(task.now, moving.ops, moving);
  ++busy_;
  client_.send(moving);
}

void Mover::look(Moving& moving, const Reply& reply) noexcept {
  std::array<Outcome, 2> outcomes;
  const Asked asked{Form::decide, moving.task.now, moving.ops, outcomes, moving.found};
  moving.is_known = read_reply(asked, 0, reply);
  if (!moving.is_known) return;
  for (std::size_t at = 0; at < 2; ++at) moving.seen[at] = reply[at + 1].text;
}

void Mover::looked(Moving& moving, Exchange::End end) noexcept {
  const auto& [from, to] = moving.ops;
  const Time now = moving.task.now;
  if (end != Exchange::End::replied || !moving.is_known) return done(moving, end);
  const std::uint64_t used = used_units(*from.limit, now, moving.found[0]);
  if (used == 0 || used_units(*to.limit, now, moving.found[1]) > 0) return done(moving, end);

  const std::uint64_t units = carried_units(from.limit->limit, used, to.limit->limit);
  moving.bytes.clear();
  moving.ends.clear();
  if (units == 0) {
    codec_.forget(now, from, moving);
  } else {
    Op debit = to;
    debit.verb = Verb::debit;
    debit.cost = units;
    codec_.move(now, {from, moving.seen[0]}, {debit, moving.seen[1]}, moving);
  }
  moving.on_reply = [](Exchange&, std::size_t, const Reply&) noexcept {};
  moving.on_end = [](Exchange& exchange, Exchange::End how) noexcept {
    auto& self = static_cast<Moving&>(exchange);
    self.mover->done(self, how);
  };
  client_.send(moving);
}

void Mover::done(Moving& moving, Exchange::End end) noexcept {
  // Where the store was out of reach it is tried again, for the units are still there.
  if (end == Exchange::End::unavailable) tried_[moving.ops[1].key.lo % tried_.size()] = {};
  movings_.give_back(moving);
  if (--busy_ == 0) on_idle_();
}

}  // namespace weir::redis
