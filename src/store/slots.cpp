// SPDX-License-Identifier: Apache-2.0
#include "store/slots.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "store/rank.hpp"

namespace weir::store {

namespace {

const TableOptions& checked(const TableOptions& options) {
  if (options.memory_bytes < TableOptions::least_memory_bytes) {
    throw std::invalid_argument("key table: memory under 128KiB");
  }
  if (options.memory_bytes > std::size_t{256} << 30) {
    throw std::invalid_argument("key table: memory above 256GiB");
  }
  if (options.log_percent < 1 || options.log_percent > 90) {
    throw std::invalid_argument("key table: log_percent not within 1 to 90");
  }
  return options;
}

/// The groups get what the logs leave, but never too little to be a table.
std::size_t group_count(const TableOptions& options) noexcept {
  const std::size_t log_bytes = options.memory_bytes / 100 * options.log_percent;
  return std::max((options.memory_bytes - log_bytes) / sizeof(Group), Geometry::fewest_groups);
}

/// Comes before every order of what owes something.
constexpr std::int64_t nothing_owed = std::numeric_limits<std::int64_t>::min();

/// When what stands in the cell goes: of entries that owe something, those that owe least first.
std::int64_t order_in(const Group& group, unsigned cell, Time now) noexcept {
  const Tag tag = group.tag(cell);
  const std::int64_t value = group.value(cell);
  if (tag == 0 || value <= ns(now) || group.is_tail(cell)) return nothing_owed;
  return Group::width(tag) == 1 ? value : order_of_rank(value);
}

}  // namespace

Slots::Slots(const TableOptions& options)
    : memory_bytes_(checked(options).memory_bytes),
      when_full_(options.when_full),
      geometry_(group_count(options)),
      memory_(geometry_.groups() * sizeof(Group)),
      logs_(options.memory_bytes - memory_.size_bytes()) {}

std::optional<Place> Slots::find(const Address& address, bool in_home,
                                 bool in_away) const noexcept {
  const auto width = static_cast<std::uint8_t>(Group::width(address.tag));
  unsigned cell = in_home ? group(address.home).find(address.tag) : Group::nowhere;
  if (cell != Group::nowhere) return Place{address.home, static_cast<std::uint8_t>(cell), width};
  cell = in_away ? group(address.away).find(address.tag | away_flag) : Group::nowhere;
  if (cell != Group::nowhere) return Place{address.away, static_cast<std::uint8_t>(cell), width};
  return std::nullopt;
}

std::optional<Place> Slots::add(Hold& hold, const Address& address, Time now,
                                Eviction eviction) noexcept {
  WideState state;
  if ((address.tag & log_flag) != 0) {
    const auto log = begin_log(hold, address.home, now, eviction);
    if (!log) return std::nullopt;
    state.lo = *log;
  }
  const auto place = make_room(hold, address, now, eviction);
  if (!place) {
    if ((address.tag & log_flag) != 0) logs_.end(static_cast<LogSlab::Handle>(state.lo));
    return std::nullopt;
  }
  Group& target = group(place->group);
  const Tag tag = address.tag | (place->group == address.home ? 0 : away_flag);
  if (place->width == 1) {
    target.put_word(place->cell, tag, 0);
  } else {
    target.put_pair(place->cell, tag, 0, state);
  }
  if ((tag & log_flag) != 0) log(*place).group.store(place->group, std::memory_order_relaxed);
  hold.pin(*place);
  return place;
}

void Slots::erase(const Place& place) noexcept {
  Group& target = group(place.group);
  if ((target.tag(place.cell) & log_flag) != 0) {
    logs_.end(static_cast<LogSlab::Handle>(target.wide(place.cell).lo));
  }
  target.erase(place.cell);
}

Decision Slots::step(const Place& place, const CompiledLimit& limit, Verb verb, std::uint64_t cost,
                     Time now) noexcept {
  switch (limit.shape) {
    case Shape::word: return step_word(place, limit, verb, cost, now);
    case Shape::wide: return step_wide(place, limit, verb, cost, now);
    case Shape::log: break;
  }
  return step_log(place, limit, verb, cost, now);
}

Decision Slots::step_wide(const Place& place, const CompiledLimit& limit, Verb verb,
                          std::uint64_t cost, Time now) noexcept {
  Group& target = group(place.group);
  const WideState before = target.wide(place.cell);
  WideState state = before;
  const Decision decision = weir::step(limit, verb, cost, now, state);
  if (state == before) return decision;
  target.set_wide(place.cell, state);
  target.set_value(place.cell, rank_of(limit.limit, idle_from(limit, state), decision));
  return decision;
}

Decision Slots::step_log(const Place& place, const CompiledLimit& limit, Verb verb,
                         std::uint64_t cost, Time now) noexcept {
  LogRing& ring = log(place).ring;
  const Decision decision = weir::step(limit, verb, cost, now, ring);
  if (verb != Verb::peek) {
    const std::int64_t rank = rank_of(limit.limit, idle_from(limit, ring), decision);
    group(place.group).set_value(place.cell, rank);
  }
  return decision;
}

/// Calls `see` for each entry that stands at `place`, in whole or in part. Called in earnest, it
/// would wait for what it is handed to reach memory and come back.
template <typename See>
[[gnu::always_inline]] inline void Slots::each_entry(const Place& place, See see) const noexcept {
  const Group& target = group(place.group);
  for (unsigned cell = place.cell; cell < unsigned{place.cell} + place.width; ++cell) {
    const Tag tag = target.tag(cell);
    if (tag == 0 || target.is_tail(cell)) continue;
    see(Place{place.group, static_cast<std::uint8_t>(cell),
              static_cast<std::uint8_t>(Group::width(tag))});
  }
}

std::int64_t Slots::order_of(const Place& place, Time now) const noexcept {
  const Group& target = group(place.group);
  const std::int64_t order = order_in(target, place.cell, now);
  return place.width == 1 ? order : std::max(order, order_in(target, place.cell + 1u, now));
}

/// Which place of the group to take: the first that is free, else the one that goes first.
Slots::Room Slots::room_in(const Hold& hold, GroupIndex index, unsigned width,
                           Time now) const noexcept {
  Room room{.group = index};
  for (unsigned cell = 0; cell < Group::cells; cell += width) {
    const Place place{index, static_cast<std::uint8_t>(cell), static_cast<std::uint8_t>(width)};
    if (width == 1 && group(index).is_tail(cell)) continue;
    const std::int64_t order = order_of(place, now);
    if ((room.exists() && order >= room.order) || hold.is_pinned(place)) continue;
    room.cell = cell;
    room.order = order;
    room.is_free = order == nothing_owed;
    if (room.is_free) break;
  }
  return room;
}

std::optional<Place> Slots::make_room(Hold& hold, const Address& address, Time now,
                                      Eviction eviction) noexcept {
  const unsigned width = Group::width(address.tag);
  Room room = room_in(hold, address.home, width, now);
  if (!room.is_free) {
    const Room away = room_in(hold, address.away, width, now);
    if (!room.exists() || (away.exists() && away.order < room.order)) room = away;
  }
  std::optional<Place> place;
  if (!room.is_free && breaker_.allows()) place = move_one_away(hold, address, now);
  const bool may_take = room.is_free || (room.exists() && eviction == Eviction::of_live);
  if (!place && may_take) place = room.place(width);
  if (place) vacate(*place, now);
  return place;
}

void Slots::vacate(const Place& place, Time now) noexcept {
  each_entry(place, [&](const Place& entry) {
    counters_.count(is_idle(entry, now) ? Event::expired_reuse : Event::live_eviction);
    erase(entry);
  });
}

std::int64_t Slots::room_from(const Address& address) const noexcept {
  const unsigned width = Group::width(address.tag);
  auto soonest = std::numeric_limits<std::int64_t>::max();
  for (const GroupIndex index : {address.home, address.away}) {
    for (unsigned cell = 0; cell < Group::cells; cell += width) {
      std::int64_t idle = 0;
      const Place place{index, static_cast<std::uint8_t>(cell), static_cast<std::uint8_t>(width)};
      if (width == 1 && group(index).is_tail(cell)) continue;
      each_entry(place, [&](const Place& entry) {
        idle = std::max(idle, group(index).value(entry.cell));
      });
      soonest = std::min(soonest, idle);
    }
  }
  return soonest;
}

std::optional<Place> Slots::move_one_away(Hold& hold, const Address& address, Time now) noexcept {
  struct Move {
    Place place;
    Place entry;
  };
  StaticVector<Move, std::size_t{2} * Group::cells> moves;
  const unsigned width = Group::width(address.tag);
  for (const GroupIndex index : {address.home, address.away}) {
    for (unsigned cell = 0; cell < Group::cells; cell += width) {
      const Place place{index, static_cast<std::uint8_t>(cell), static_cast<std::uint8_t>(width)};
      if ((width == 1 && group(index).is_tail(cell)) || hold.is_pinned(place)) continue;
      const auto entry = single_live_entry(place, now);
      if (!entry) continue;
      moves.push_back({place, *entry});
      __builtin_prefetch(&group(other_group(*entry)));
    }
  }
  for (const auto& [place, entry] : moves) {
    if (move_away(hold, entry, now)) {
      breaker_.succeeded();
      counters_.count(Event::relocation);
      return place;
    }
    breaker_.failed();
  }
  return std::nullopt;
}

GroupIndex Slots::other_group(const Place& place) const noexcept {
  return geometry_.other(place.group, group(place.group).tag(place.cell));
}

/// The only entry at `place` that owes something; nothing where there are two.
std::optional<Place> Slots::single_live_entry(const Place& place, Time now) const noexcept {
  std::optional<Place> single;
  int count = 0;
  each_entry(place, [&](const Place& entry) {
    if (is_idle(entry, now)) return;
    single = entry;
    ++count;
  });
  return count == 1 ? single : std::nullopt;
}

bool Slots::move_away(Hold& hold, const Place& place, Time now) noexcept {
  const GroupIndex other = other_group(place);
  const bool mine = hold.holds(other);
  // Only tried: waiting for a lock out of order could be waiting for each other.
  if (!mine && !group(other).try_lock()) return false;
  const bool backwards = other < place.group && walking_.load(std::memory_order_relaxed);
  const Room to = backwards ? Room{} : room_in(hold, other, place.width, now);
  if (to.is_free) {
    vacate(to.place(place.width), now);
    move(place, to.place(place.width));
  }
  if (!mine) group(other).unlock();
  return to.is_free;
}

void Slots::move(const Place& from, const Place& to) noexcept {
  Group& source = group(from.group);
  Group& target = group(to.group);
  const Tag tag = source.tag(from.cell);
  if (from.width == 1) {
    target.put_word(to.cell, tag ^ away_flag, source.value(from.cell));
  } else {
    if ((tag & log_flag) != 0) log(from).group.store(to.group, std::memory_order_relaxed);
    target.put_pair(to.cell, tag ^ away_flag, source.value(from.cell), source.wide(from.cell));
  }
  source.erase(from.cell);
}

}  // namespace weir::store
