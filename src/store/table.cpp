// SPDX-License-Identifier: Apache-2.0
#include "store/table.hpp"

#include <algorithm>
#include <array>

#include "store/make_in.hpp"
#include "store/request.hpp"
#include "store/slots.hpp"

namespace weir::store {

namespace {

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
  if (!before) return false;
  const std::int64_t owed_ns = std::max(*before, ns(now)) - ns(now);
  if (!asks && !may_refuse(*op.limit, op.cost, owed_ns)) return false;
  WordState state = *before;
  make_in(decision, [&] { return step(*op.limit, op.verb, op.cost, now, state); });
  return state == *before;
}

/// Decides an op whose key stands at `place`, under the lock. False where it does not any more, or
/// where its log must first be given room.
bool decide_at(Slots& slots, const Place& place, Tag tag, const Op& op, Time now,
               Decision& decision) noexcept {
  Group& group = slots.group(place.group);
  if (!group.holds(place.cell, tag)) return false;
  if (op.limit->shape == Shape::word) {
    make_in(decision, [&] { return slots.step_word(place, *op.limit, op.verb, op.cost, now); });
    return true;
  }
  if (op.limit->shape == Shape::log && !slots.log(place).ring.has_room()) return false;
  make_in(decision, [&] { return slots.step(place, *op.limit, op.verb, op.cost, now); });
  return true;
}

/// Decides an op whose key stands in the group `index`.
bool decide_in(Slots& slots, GroupIndex index, Tag tag, const Op& op, Time now,
               Decision& decision) noexcept {
  Group& group = slots.group(index);
  const unsigned cell = group.find(tag);
  if (cell == Group::nowhere) return false;
  if (op.limit->shape == Shape::word && read_word(group, cell, tag, op, now, decision)) return true;
  const Place place{index, static_cast<std::uint8_t>(cell),
                    static_cast<std::uint8_t>(Group::width(tag))};
  group.lock();
  const bool decided = decide_at(slots, place, tag, op, now, decision);
  group.unlock();
  return decided;
}

void decide_one(Slots& slots, const Address& address, const Op& op, Time now,
                Outcome& outcome) noexcept {
  if (decide_in(slots, address.home, address.tag, op, now, outcome.decision) ||
      decide_in(slots, address.away, address.tag | away_flag, op, now, outcome.decision)) {
    outcome.status = Outcome::Status::decided;
    return;
  }
  Request(slots, now, {&op, 1}, {&outcome, 1}).decide();
}

/// Decides the ops of one request.
void decide_several(Slots& slots, Time now, std::span<const Op> ops,
                    std::span<Outcome> outcomes) noexcept {
  if (ops.size() > most_ops_of_request) {
    return std::fill(outcomes.begin(), outcomes.end(),
                     Outcome{.decision = {}, .status = Outcome::Status::unavailable});
  }
  if (ops[0].verb == Verb::acquire) return Request(slots, now, ops, outcomes).decide();
  for (std::size_t at = 0; at < ops.size(); ++at) {
    const Address address = slots.geometry().locate(ops[at].key, ops[at].limit->shape);
    decide_one(slots, address, ops[at], now, outcomes[at]);
  }
}

/// Runs ahead of the deciding and has the lines fetched that it will need: each op's home group,
/// and a little later, when that has come and the key is not in it, its away group.
class Lookahead {
 public:
  Lookahead(const Slots& slots, std::span<const Op> ops) noexcept : slots_(slots), ops_(ops) {}

  /// The address of the op at `index`, which is decided next. It stays until the next call.
  const Address& address(std::size_t index) noexcept {
    fetch_homes_until(index + home_distance);
    fetch_aways_until(index + away_distance);
    return addresses_[index % addresses_.size()];
  }

 private:
  static constexpr std::size_t home_distance = 16;  // long enough for memory to answer
  static constexpr std::size_t away_distance = 6;

  // GCC takes a function that does nothing but prefetch for one that does nothing, and drops its
  // call.
  [[gnu::always_inline]] void fetch_homes_until(std::size_t end) noexcept {
    for (end = std::min(end, ops_.size()); located_ < end; ++located_) {
      Address& address = addresses_[located_ % addresses_.size()];
      address = slots_.geometry().locate(ops_[located_].key, ops_[located_].limit->shape);
      __builtin_prefetch(&slots_.group(address.home));
    }
  }

  [[gnu::always_inline]] void fetch_aways_until(std::size_t end) noexcept {
    for (end = std::min(end, ops_.size()); looked_ < end; ++looked_) {
      const Address& address = addresses_[looked_ % addresses_.size()];
      if (slots_.group(address.home).find(address.tag) != Group::nowhere) continue;
      __builtin_prefetch(&slots_.group(address.away));
    }
  }

  const Slots& slots_;
  const std::span<const Op> ops_;
  std::size_t located_ = 0;
  std::size_t looked_ = 0;
  std::array<Address, home_distance> addresses_;
};

}  // namespace

Table::Table(const TableOptions& options) : slots_(std::make_unique<Slots>(options)) {}

Table::~Table() = default;

Store::Applied Table::apply(StoreBatch& batch) noexcept {
  const auto ops = batch.ops;
  if (ops.size() == 1) {
    const Address address = slots_->geometry().locate(ops[0].key, ops[0].limit->shape);
    __builtin_prefetch(&slots_->group(address.away));
    decide_one(*slots_, address, ops[0], batch.now, batch.outcomes[0]);
    return Applied::now;
  }
  Lookahead lookahead(*slots_, ops);
  for (std::size_t first = 0; first < ops.size();) {
    const Address& address = lookahead.address(first);
    std::size_t last = first + 1;
    while (last < ops.size() && ops[last].request == ops[first].request) ++last;
    if (last == first + 1) {
      decide_one(*slots_, address, ops[first], batch.now, batch.outcomes[first]);
    } else {
      decide_several(*slots_, batch.now, ops.subspan(first, last - first),
                     batch.outcomes.subspan(first, last - first));
    }
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
