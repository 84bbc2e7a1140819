// SPDX-License-Identifier: Apache-2.0
// Keys on their way out of a table and into one again.
#include <array>
#include <mutex>
#include <vector>

#include "store/slots.hpp"
#include "store/table.hpp"

namespace weir::store {

namespace {

/// The keys of one group, copied under its lock.
struct GroupCopy {
  std::array<SavedKey, Group::cells> keys;
  std::size_t count = 0;
  std::array<std::vector<LogEntry>, Group::cells> logs;  // keep their memory from group to group
};

void copy_log(const LogRing& ring, std::vector<LogEntry>& copy) {
  copy.clear();
  for (std::size_t at = 0; at < ring.size(); ++at) {
    copy.push_back({.at_ns = ring[at].at_ns, .total = ring.used_by_oldest(at + 1)});
  }
}

void copy_live(Slots& slots, GroupIndex index, Time now, GroupCopy& copy) {
  const Group& group = slots.group(index);
  copy.count = 0;
  for (unsigned cell = 0; cell < Group::cells; cell += Group::width(group.tag(cell))) {
    const Tag tag = group.tag(cell);
    if (tag == 0 || group.value(cell) <= ns(now)) continue;
    SavedKey& key = copy.keys[copy.count];
    key = {.tag = tag & ~away_flag,
           .spread = slots.geometry().spread(index, tag),
           .value = group.value(cell),
           .wide = {},
           .log = {}};
    if ((tag & log_flag) != 0) {
      copy_log(slots.log({index, static_cast<std::uint8_t>(cell), 2}).ring, copy.logs[copy.count]);
      key.log = copy.logs[copy.count];
    } else if ((tag & pair_flag) != 0) {
      key.wide = group.wide(cell);
    }
    ++copy.count;
  }
}

/// False where there is no memory for even two instants. Where there is too little, the oldest
/// instants are counted as later ones.
bool fill_log(Slots& slots, Hold& hold, const Place& place, std::span<const LogEntry> log, Time now,
              Eviction eviction) noexcept {
  LogRing& ring = slots.log(place).ring;
  std::uint64_t before = 0;
  for (const auto& entry : log) {
    if (!ring.has_room() && !slots.grow_log(hold, place, now, eviction)) {
      if (ring.size() < 2) return false;
      ring.merge_oldest();
    }
    ring.push(entry.at_ns, entry.total - before);
    before = entry.total;
  }
  return true;
}

}  // namespace

void Table::for_each_live(Time now, const std::function<void(const SavedKey&)>& see) {
  GroupCopy copy;
  const Slots::Walk walk(*slots_);
  for (std::size_t at = 0; at < slots_->groups().size(); ++at) {
    const auto index = static_cast<GroupIndex>(at);
    {
      const std::lock_guard guard(slots_->group(index));
      copy_live(*slots_, index, now, copy);
    }
    for (std::size_t key = 0; key < copy.count; ++key) see(copy.keys[key]);
  }
}

bool Table::restore(const SavedKey& key, Time now) noexcept {
  const Address address = slots_->geometry().at(key.tag, key.spread);
  const auto eviction = slots_->when_full() == WhenFull::evict ? Eviction::of_live : Eviction::none;
  Hold hold(slots_->groups());
  hold.want(address.home);
  hold.want(address.away);
  hold.lock();
  if (const auto old = slots_->find(address, true, true)) slots_->erase(*old);
  const auto place = slots_->add(hold, address, now, eviction);
  bool restored = place.has_value();
  if (place) {
    Group& group = slots_->group(place->group);
    if ((key.tag & log_flag) != 0) {
      restored = fill_log(*slots_, hold, *place, key.log, now, eviction);
    } else if ((key.tag & pair_flag) != 0) {
      group.set_wide(place->cell, key.wide);
    }
    group.set_value(place->cell, key.value);
    if (!restored) slots_->erase(*place);
  }
  hold.release();
  return restored;
}

}  // namespace weir::store
