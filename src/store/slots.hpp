// SPDX-License-Identifier: Apache-2.0
// The table's memory, and the entries that stand in it.
//
// A new entry goes, of the places in its home and then in its away group, to
//   1. the first that is empty or whose key owes nothing any more;
//   2. one whose key can move to its own other group;
//   3. the one whose key owes least (rank.hpp). It is forgotten, and counted.
// So a key that is over its limit goes last, and a flood of new keys, which owe little, washes
// itself away. Step 2 is given up for a while where it rarely helps, because the table is overfull.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/zero_memory.hpp"
#include "store/counters.hpp"
#include "store/geometry.hpp"
#include "store/group.hpp"
#include "store/hold.hpp"
#include "store/log_slab.hpp"
#include "store/table.hpp"

namespace weir::store {

/// What may be done to make room.
enum class Eviction : std::uint8_t { none, of_live };

[[nodiscard]] constexpr std::int64_t ns(Time time) noexcept {
  return time.time_since_epoch().count();
}

class Slots {
 public:
  explicit Slots(const TableOptions& options);

  [[nodiscard]] const Geometry& geometry() const noexcept { return geometry_; }
  [[nodiscard]] std::span<Group> groups() const noexcept {
    return {static_cast<Group*>(memory_.data()), geometry_.groups()};
  }
  [[nodiscard]] Group& group(GroupIndex index) const noexcept { return groups()[index]; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes_; }
  [[nodiscard]] WhenFull when_full() const noexcept { return when_full_; }
  [[nodiscard]] Counters& counters() noexcept { return counters_; }
  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }
  [[nodiscard]] LogSlab& logs() noexcept { return logs_; }
  [[nodiscard]] const LogSlab& logs() const noexcept { return logs_; }

  // What follows is called under the locks of the groups that it names.

  /// Looks for an entry in the groups that are locked.
  [[nodiscard]] std::optional<Place> find(const Address& address, bool in_home,
                                          bool in_away) const noexcept;

  /// Puts a fresh entry into one of the address's groups. Nothing where there is no room for it.
  [[nodiscard]] std::optional<Place> add(Hold& hold, const Address& address, Time now,
                                         Eviction eviction) noexcept;

  void erase(const Place& place) noexcept;

  /// Whether the entry is the same as none.
  [[nodiscard]] bool is_idle(const Place& place, Time now) const noexcept {
    return group(place.group).value(place.cell) <= ns(now);
  }

  /// Makes sure that the log can take one more instant.
  [[nodiscard]] bool ensure_log_room(Hold& hold, const Place& place, const CompiledLimit& limit,
                                     Verb verb, Time now, Eviction eviction) noexcept;

  /// Gives the log memory for more instants. False where there is none: it stays as it was.
  [[nodiscard]] bool grow_log(Hold& hold, const Place& place, Time now, Eviction eviction) noexcept;

  /// When a new entry finds room if nothing else happens.
  [[nodiscard]] std::int64_t room_from(const Address& address) const noexcept;

  /// Takes one step on an entry. A log that is to take units has room for them.
  Decision step(const Place& place, const CompiledLimit& limit, Verb verb, std::uint64_t cost,
                Time now) noexcept;

  Decision step_word(const Place& place, const CompiledLimit& limit, Verb verb, std::uint64_t cost,
                     Time now) noexcept {
    Group& target = group(place.group);
    WordState state = target.value(place.cell);
    const Decision decision = weir::step(limit, verb, cost, now, state);
    target.set_value(place.cell, state);
    return decision;
  }

  [[nodiscard]] LogHead& log(const Place& place) noexcept {
    return logs_.head(static_cast<LogSlab::Handle>(group(place.group).wide(place.cell).lo));
  }

  /// While one lives, entries move only to groups further on: so a walk in order misses none. A
  /// mover that has not seen it holds the lock of both groups, where the walk then waits for it.
  class Walk {
   public:
    explicit Walk(Slots& slots) noexcept : walking_(slots.walking_) {
      walking_.store(true, std::memory_order_relaxed);
    }
    ~Walk() { walking_.store(false, std::memory_order_relaxed); }
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;

   private:
    std::atomic<bool>& walking_;
  };

 private:
  /// A place that could be taken, and what goes then.
  struct Room {
    GroupIndex group = 0;
    unsigned cell = Group::nowhere;
    std::int64_t order = 0;
    bool is_free = false;
    [[nodiscard]] bool exists() const noexcept { return cell != Group::nowhere; }
    [[nodiscard]] Place place(unsigned width) const noexcept {
      return {group, static_cast<std::uint8_t>(cell), static_cast<std::uint8_t>(width)};
    }
  };

  Decision step_wide(const Place& place, const CompiledLimit& limit, Verb verb, std::uint64_t cost,
                     Time now) noexcept;
  Decision step_log(const Place& place, const CompiledLimit& limit, Verb verb, std::uint64_t cost,
                    Time now) noexcept;
  template <typename See>
  void each_entry(const Place& place, See see) const noexcept;
  /// When what stands at the place goes: of entries that owe something, those that owe least first.
  [[nodiscard]] std::int64_t order_of(const Place& place, Time now) const noexcept;
  [[nodiscard]] Room room_in(const Hold& hold, GroupIndex index, unsigned width,
                             Time now) const noexcept;
  [[nodiscard]] std::optional<Place> make_room(Hold& hold, const Address& address, Time now,
                                               Eviction eviction) noexcept;
  [[nodiscard]] std::optional<Place> move_one_away(Hold& hold, const Address& address,
                                                   Time now) noexcept;
  [[nodiscard]] GroupIndex other_group(const Place& place) const noexcept;
  [[nodiscard]] bool move_away(Hold& hold, const Place& place, Time now) noexcept;
  [[nodiscard]] std::optional<Place> single_live_entry(const Place& place, Time now) const noexcept;
  void move(const Place& from, const Place& to) noexcept;
  void vacate(const Place& place, Time now) noexcept;
  [[nodiscard]] bool reclaim_log(Hold& hold, Time now, Eviction eviction) noexcept;
  [[nodiscard]] std::size_t least_owing_logs(std::span<LogSlab::Candidate> found,
                                             Time now) noexcept;
  [[nodiscard]] std::optional<Place> place_of(const LogSlab::Candidate& log) const noexcept;
  [[nodiscard]] std::optional<LogSlab::Handle> begin_log(Hold& hold, GroupIndex index, Time now,
                                                         Eviction eviction) noexcept;

  const std::size_t memory_bytes_;
  const WhenFull when_full_;
  Geometry geometry_;
  ZeroMemory memory_;
  LogSlab logs_;
  Counters counters_;
  Breaker breaker_;
  std::atomic<bool> walking_{false};
};

}  // namespace weir::store
