// SPDX-License-Identifier: Apache-2.0
// The sliding log's arithmetic: what has ended is skipped when reading and dropped when writing.
#include "limit/sliding_log.hpp"

#include <algorithm>

namespace weir {

// The part of the ring that still counts.
struct SlidingLog::Window {
  std::int64_t now_ns;
  std::int64_t period_ns;
  std::size_t ended;  // entries that no longer count
  std::uint64_t ended_units;
  std::uint64_t used;

  // A time before the newest entry counts as that entry's.
  Window(const CompiledLimit& limit, Time now, const LogRing& ring) noexcept
      : now_ns(now.time_since_epoch().count()), period_ns(limit.limit.period().count()) {
    if (!ring.empty()) now_ns = std::max(now_ns, ring.newest().at_ns);
    ended = ring.count_until(now_ns - period_ns);
    ended_units = ring.used_by_oldest(ended);
    used = ring.used() - ended_units;
  }

  // How long until `units` of those used have left.
  [[nodiscard]] Duration wait(const LogRing& ring, std::uint64_t units) const noexcept {
    const std::size_t last = ring.count_holding(ended_units + units) - 1;
    return Duration{ring[last].at_ns + period_ns - now_ns};
  }
};

Decision SlidingLog::step(Verb verb, std::uint64_t cost, Time now, LogRing& ring) const noexcept {
  const std::uint64_t most = limit_.limit.count();
  Window window(limit_, now, ring);
  const bool fits = cost <= most && window.used <= most - cost;

  Decision decision = verdict(limit_, verb, fits);
  if (!decision.allowed) {
    decision.retry_after = cost > most ? never : window.wait(ring, window.used - (most - cost));
  }
  if (takes(verb, fits) && cost > 0) {
    ring.drop_oldest(window.ended);
    take(cost, window.now_ns, ring);
    window.used = ring.used();
  } else if (verb == Verb::refund) {
    const std::uint64_t given_back = std::min(cost, window.used);
    ring.take_from_newest(given_back);
    window.used -= given_back;
  }
  decision.remaining = units_left(most, window.used);
  if (window.used > 0) {
    decision.reset_after = Duration{ring.newest().at_ns + window.period_ns - window.now_ns};
  }
  return decision;
}

// An entry with more than the whole limit behind it changes no verdict: once it is gone, the limit
// is still used up. So one entry more than the limit has units is all that is ever needed. Only a
// refund could tell the two oldest apart; they then count as long as the later of them.
void SlidingLog::take(std::uint64_t cost, std::int64_t now_ns, LogRing& ring) const noexcept {
  ring.push(now_ns, cost);
  if (ring.size() > limit_.limit.count() + 1) ring.merge_oldest();
}

void SlidingLog::drop_ended(Time now, LogRing& ring) const noexcept {
  ring.drop_oldest(Window(limit_, now, ring).ended);
}

Time SlidingLog::idle_from(const LogRing& ring) const noexcept {
  return ring.empty() ? Time{} : Time{Duration{ring.newest().at_ns} + limit_.limit.period()};
}

std::uint64_t SlidingLog::used_units(Time now, const LogRing& ring) const noexcept {
  return Window(limit_, now, ring).used;
}

}  // namespace weir
