// SPDX-License-Identifier: Apache-2.0
// A counter whose limit was changed keeps what was used of it.
#include "store/rank.hpp"
#include "store/slots.hpp"
#include "store/table.hpp"

namespace weir::store {

namespace {

std::uint64_t used(Slots& slots, const Place& place, const CompiledLimit& limit,
                   Time now) noexcept {
  const Group& group = slots.group(place.group);
  switch (limit.shape) {
    case Shape::word: return used_units(limit, now, group.value(place.cell));
    case Shape::wide: return used_units(limit, now, group.wide(place.cell));
    case Shape::log: break;
  }
  return used_units(limit, now, slots.log(place).ring);
}

/// A log keeps its instants: the ring itself changes hands.
void move_log(Slots& slots, const Place& from, const Place& to, const CompiledLimit& after,
              Time now) noexcept {
  Group& source = slots.group(from.group);
  Group& target = slots.group(to.group);
  const WideState ring = source.wide(from.cell);
  source.set_wide(from.cell, target.wide(to.cell));
  target.set_wide(to.cell, ring);
  slots.log(from).group.store(from.group, std::memory_order_relaxed);
  slots.log(to).group.store(to.group, std::memory_order_relaxed);
  const Decision decision = slots.step(to, after, Verb::peek, 0, now);
  target.set_value(to.cell, rank_of(after.limit, idle_from(after, slots.log(to).ring), decision));
}

void carry_over_held(Slots& slots, Hold& hold, Time now, const CarryOver& move) noexcept {
  const Address from = slots.geometry().locate(move.from, move.before->shape);
  const Address to = slots.geometry().locate(move.to, move.after->shape);
  const auto source = slots.find(from, true, true);
  auto target = slots.find(to, true, true);
  if (!source || slots.is_idle(*source, now)) return;
  if (target && !slots.is_idle(*target, now)) return;
  const std::uint64_t units =
      carried_units(move.before->limit, used(slots, *source, *move.before, now), move.after->limit);
  if (units == 0) return slots.erase(*source);

  const auto eviction = slots.when_full() == WhenFull::evict ? Eviction::of_live : Eviction::none;
  hold.pin(*source);
  if (target) {
    hold.pin(*target);
  } else {
    target = slots.add(hold, to, now, eviction);
    if (!target) return;
  }
  if (move.before->shape == Shape::log && move.after->shape == Shape::log) {
    move_log(slots, *source, *target, *move.after, now);
  } else {
    if (move.after->shape == Shape::log &&
        !slots.ensure_log_room(hold, *target, *move.after, Verb::debit, now, eviction)) {
      return;
    }
    static_cast<void>(slots.step(*target, *move.after, Verb::debit, units, now));
  }
  slots.erase(*source);
}

}  // namespace

void Table::carry_over(Time now, std::span<const CarryOver> moves) noexcept {
  for (const CarryOver& move : moves) {
    Hold hold(slots_->groups());
    const Address from = slots_->geometry().locate(move.from, move.before->shape);
    const Address to = slots_->geometry().locate(move.to, move.after->shape);
    for (const GroupIndex group : {from.home, from.away, to.home, to.away}) hold.want(group);
    hold.lock();
    carry_over_held(*slots_, hold, now, move);
    hold.release();
  }
}

}  // namespace weir::store
