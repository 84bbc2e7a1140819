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

/// Calls `see` for each entry that stands at `place`, in whole or in part.
template <typename See>
void Slots::each_entry(const Place& place, See see) const noexcept {
  const Group& target = group(place.group);
  for (unsigned cell = place.cell; cell < unsigned{place.cell} + place.width; ++cell) {
    const Tag tag = target.tag(cell);
    if (tag == 0 || target.is_tail(cell)) continue;
    see(Place{place.group, static_cast<std::uint8_t>(cell),
              static_cast<std::uint8_t>(Group::width(tag))});
  }
}

bool Slots::is_free(const Place& place, Time now) const noexcept {
  bool free = true;
  each_entry(place, [&](const Place& entry) { free &= is_idle(entry, now); });
  return free;
}

std::int64_t Slots::order_of(const Place& place) const noexcept {
  std::int64_t order = std::numeric_limits<std::int64_t>::min();
  each_entry(place, [&](const Place& entry) {
    const std::int64_t value = group(entry.group).value(entry.cell);
    order = std::max(order, entry.width == 1 ? value : order_of_rank(value));
  });
  return order;
}

std::optional<Place> Slots::find_free(const Hold& hold, GroupIndex index, unsigned width,
                                      Time now) const noexcept {
  for (unsigned cell = 0; cell < Group::cells; cell += width) {
    const Place place{index, static_cast<std::uint8_t>(cell), static_cast<std::uint8_t>(width)};
    if (width == 1 && group(index).is_tail(cell)) continue;
    if (is_free(place, now) && !hold.is_pinned(place)) return place;
  }
  return std::nullopt;
}

std::optional<Place> Slots::make_room(Hold& hold, const Address& address, Time now,
                                      Eviction eviction) noexcept {
  const unsigned width = Group::width(address.tag);
  auto place = find_free(hold, address.home, width, now);
  if (!place) place = find_free(hold, address.away, width, now);
  if (!place && breaker_.allows()) place = move_one_away(hold, address, now);
  if (!place && eviction == Eviction::of_live) place = least_owing(hold, address);
  if (place) vacate(*place, now);
  return place;
}

void Slots::vacate(const Place& place, Time now) noexcept {
  each_entry(place, [&](const Place& entry) {
    counters_.count(is_idle(entry, now) ? Event::expired_reuse : Event::live_eviction);
    erase(entry);
  });
}

std::optional<Place> Slots::least_owing(const Hold& hold, const Address& address) const noexcept {
  const unsigned width = Group::width(address.tag);
  std::optional<Place> least;
  std::int64_t least_order = 0;
  for (const GroupIndex index : {address.home, address.away}) {
    for (unsigned cell = 0; cell < Group::cells; cell += width) {
      const Place place{index, static_cast<std::uint8_t>(cell), static_cast<std::uint8_t>(width)};
      if ((width == 1 && group(index).is_tail(cell)) || hold.is_pinned(place)) continue;
      const std::int64_t order = order_of(place);
      if (least && order >= least_order) continue;
      least = place;
      least_order = order;
    }
  }
  return least;
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
  const unsigned width = Group::width(address.tag);
  for (const GroupIndex index : {address.home, address.away}) {
    for (unsigned cell = 0; cell < Group::cells; cell += width) {
      const Place place{index, static_cast<std::uint8_t>(cell), static_cast<std::uint8_t>(width)};
      if ((width == 1 && group(index).is_tail(cell)) || hold.is_pinned(place)) continue;
      const auto entry = single_live_entry(place, now);
      if (!entry) continue;
      if (move_away(hold, *entry, now)) {
        breaker_.succeeded();
        counters_.count(Event::relocation);
        return place;
      }
      breaker_.failed();
    }
  }
  return std::nullopt;
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
  const GroupIndex other = geometry_.other(place.group, group(place.group).tag(place.cell));
  const bool mine = hold.holds(other);
  // Only tried: waiting for a lock out of order could be waiting for each other.
  if (!mine && !group(other).try_lock()) return false;
  const bool backwards = other < place.group && walking_.load(std::memory_order_relaxed);
  const auto to = backwards ? std::nullopt : find_free(hold, other, place.width, now);
  if (to) {
    vacate(*to, now);
    move(place, *to);
  }
  if (!mine) group(other).unlock();
  return to.has_value();
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
