// SPDX-License-Identifier: Apache-2.0
// Memory for sliding logs: where there is none left, other logs go, those that owe least first.
#include <algorithm>
#include <array>
#include <limits>

#include "store/slots.hpp"

namespace weir::store {

namespace {

/// A request for memory asks at most so many other logs to go.
constexpr int most_reclaimed = 4;

constexpr std::size_t most_sampled = 16;

}  // namespace

std::optional<LogSlab::Handle> Slots::begin_log(Hold& hold, GroupIndex index, Time now,
                                                Eviction eviction) noexcept {
  for (int tries = 0; tries <= most_reclaimed; ++tries) {
    if (const auto log = logs_.begin(index)) return log;
    if (!reclaim_log(hold, now, eviction)) break;
  }
  return std::nullopt;
}

bool Slots::grow_log(Hold& hold, const Place& place, Time now, Eviction eviction) noexcept {
  const auto handle = static_cast<LogSlab::Handle>(group(place.group).wide(place.cell).lo);
  for (int tries = 0; tries <= most_reclaimed; ++tries) {
    if (logs_.grow(handle)) return true;
    if (!reclaim_log(hold, now, eviction)) break;
  }
  return false;
}

bool Slots::ensure_log_room(Hold& hold, const Place& place, const CompiledLimit& limit, Verb verb,
                            Time now, Eviction eviction) noexcept {
  LogRing& ring = log(place).ring;
  if (!ring.has_room()) drop_ended(limit, now, ring);
  if (ring.has_room() || grow_log(hold, place, now, eviction)) return true;
  // What is owed already must be kept: the two oldest instants are counted as the later of them.
  if (verb == Verb::debit && ring.size() >= 2) ring.merge_oldest();
  return ring.has_room();
}

std::optional<Place> Slots::place_of(const LogSlab::Candidate& log) const noexcept {
  const Group& target = group(log.group);
  for (const unsigned cell : {0u, 2u}) {
    if ((target.tag(cell) & log_flag) != 0 && target.wide(cell).lo == log.handle) {
      return Place{log.group, static_cast<std::uint8_t>(cell), 2};
    }
  }
  return std::nullopt;
}

/// Some logs, those that owe least first. They are looked at without their locks: the order may
/// be off by what happens meanwhile, and what is taken is looked at again.
std::size_t Slots::least_owing_logs(std::span<LogSlab::Candidate> found, Time now) noexcept {
  struct Ranked {
    std::int64_t order;
    LogSlab::Candidate log;
  };
  std::array<Ranked, most_sampled> ranked;
  const std::size_t count = logs_.sample(found);
  for (std::size_t at = 0; at < count; ++at) {
    const auto place = place_of(found[at]);
    constexpr auto unknown = std::numeric_limits<std::int64_t>::max();
    ranked[at] = {place ? order_of(*place, now) : unknown, found[at]};
  }
  std::sort(ranked.begin(), ranked.begin() + count,
            [](const Ranked& left, const Ranked& right) { return left.order < right.order; });
  for (std::size_t at = 0; at < count; ++at) found[at] = ranked[at].log;
  return count;
}

bool Slots::reclaim_log(Hold& hold, Time now, Eviction eviction) noexcept {
  std::array<LogSlab::Candidate, most_sampled> found;
  const std::size_t count = least_owing_logs(found, now);
  for (const auto& candidate : std::span(found).first(count)) {
    const bool mine = hold.holds(candidate.group);
    if (!mine && !group(candidate.group).try_lock()) continue;
    const auto place = place_of(candidate);
    const bool may_go =
        place && !hold.is_pinned(*place) && (eviction == Eviction::of_live || is_idle(*place, now));
    if (may_go) vacate(*place, now);
    if (!mine) group(candidate.group).unlock();
    if (may_go) return true;
  }
  return false;
}

}  // namespace weir::store
