// SPDX-License-Identifier: Apache-2.0
#include "store/table.hpp"

#include <algorithm>

#include "store/request.hpp"
#include "store/slots.hpp"

namespace weir::store {

namespace {

/// How many ops ahead the groups are fetched: long enough for memory to answer.
constexpr std::size_t prefetch_distance = 16;

/// A quick look at whether a word would refuse: only then is it worth deciding without the lock.
bool may_refuse(const CompiledLimit& limit, std::uint64_t cost, std::int64_t owed_ns) noexcept {
  if (cost > limit.limit.capacity()) return true;
  return owed_ns > limit.capacity_ns - static_cast<std::int64_t>(cost * limit.unit_ticks);
}

/// Decides a word without its lock, where nothing is to be written.
bool read_word(const Group& group, unsigned cell, Tag tag, const Op& op, Time now,
               Decision& decision) noexcept {
  const bool asks = op.verb == Verb::peek || op.cost == 0;
  if (!asks && op.verb != Verb::acquire) return false;
  const auto before = group.peek_word(cell, tag);
  if (!before || !(asks || may_refuse(*op.limit, op.cost, *before - ns(now)))) return false;
  WordState state = *before;
  decision = step(*op.limit, op.verb, op.cost, now, state);
  return state == *before;
}

/// Decides an op whose key stands in `group`.
bool decide_in(Slots& slots, GroupIndex index, Tag tag, const Op& op, Time now,
               Decision& decision) noexcept {
  Group& group = slots.group(index);
  const auto cell = group.find(tag);
  if (!cell) return false;
  if (op.limit->shape == Shape::word && read_word(group, *cell, tag, op, now, decision)) return true;
  group.lock();
  const Place place{index, static_cast<std::uint8_t>(*cell),
                    static_cast<std::uint8_t>(Group::width(tag))};
  const bool still_there =
      group.holds(*cell, tag) &&
      (op.limit->shape != Shape::log || slots.log(place).ring.has_room());
  if (still_there) decision = slots.step(place, *op.limit, op.verb, op.cost, now);
  group.unlock();
  return still_there;
}

void decide_one(Slots& slots, const Op& op, Time now, Outcome& outcome) noexcept {
  const Address address = slots.geometry().locate(op.key, op.limit->shape);
  if (decide_in(slots, address.home, address.tag, op, now, outcome.decision) ||
      decide_in(slots, address.away, address.tag | away_flag, op, now, outcome.decision)) {
    outcome.status = Outcome::Status::decided;
    return;
  }
  Request(slots, now, {&op, 1}, {&outcome, 1}).decide();
}

void decide_request(Slots& slots, Time now, std::span<const Op> ops,
                    std::span<Outcome> outcomes) noexcept {
  if (ops.size() > most_ops_of_request) {
    return std::fill(outcomes.begin(), outcomes.end(),
                     Outcome{.decision = {}, .status = Outcome::Status::unavailable});
  }
  const bool all_or_nothing = ops.size() > 1 && ops[0].verb == Verb::acquire;
  if (all_or_nothing) return Request(slots, now, ops, outcomes).decide();
  for (std::size_t at = 0; at < ops.size(); ++at) decide_one(slots, ops[at], now, outcomes[at]);
}

}  // namespace

Table::Table(const TableOptions& options) : slots_(std::make_unique<Slots>(options)) {}

Table::~Table() = default;

Store::Applied Table::apply(StoreBatch& batch) noexcept {
  const auto ops = batch.ops;
  const auto prefetch = [&](std::size_t at) {
    slots_->prefetch(slots_->geometry().locate(ops[at].key, ops[at].limit->shape).home);
  };
  std::size_t fetched = std::min(ops.size(), prefetch_distance);
  for (std::size_t at = 0; ops.size() > 1 && at < fetched; ++at) prefetch(at);
  for (std::size_t first = 0; first < ops.size();) {
    std::size_t last = first + 1;
    while (last < ops.size() && ops[last].request == ops[first].request) ++last;
    for (; fetched < std::min(ops.size(), last + prefetch_distance); ++fetched) prefetch(fetched);
    decide_request(*slots_, batch.now, ops.subspan(first, last - first),
                   batch.outcomes.subspan(first, last - first));
    first = last;
  }
  return Applied::now;
}

void Table::reset(const Key& key, const CompiledLimit& limit) noexcept {
  const Address address = slots_->geometry().locate(key, limit.shape);
  Hold hold(slots_->groups());
  hold.want(address.home);
  hold.want(address.away);
  hold.lock();
  if (const auto place = slots_->find(address, true, true)) slots_->erase(*place);
  hold.release();
}

}  // namespace weir::store
