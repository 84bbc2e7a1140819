// SPDX-License-Identifier: Apache-2.0
// The decision itself: (limit, state, now, cost) -> (state, decision). Pure: no clock, no lock, no
// allocation. docs/semantics.md has the arithmetic of every algorithm.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/decision.hpp>

#include "limit/bucket.hpp"
#include "limit/compiled.hpp"
#include "limit/log_ring.hpp"
#include "limit/state.hpp"

namespace weir {

/// Takes one step, for a limit of shape word. `state` is changed only where the verb and the
/// verdict change it: by a peek, a refused call or a cost of 0 it is left as it was. Costs of any
/// size are safe: what cannot fit is refused, debts saturate.
///
/// `now` is within [0, latest_time] and should not run backwards. Where it does, no unit is gained:
/// windows and logs take it as the latest time that their state shows, a bucket as it is.
[[nodiscard]] inline Decision step(const CompiledLimit& limit, Verb verb, std::uint64_t cost,
                                   Time now, WordState& state) noexcept {
  return Bucket<WordState>(limit).step(verb, cost, now, state);
}

/// The same for shape wide.
[[nodiscard]] Decision step(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now,
                            WideState& state) noexcept;

/// The same for a log. The ring must have room for one more entry (`LogRing::has_room`); what has
/// ended is dropped only by a step that adds, or by `drop_ended`.
[[nodiscard]] Decision step(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now,
                            LogRing& ring) noexcept;

/// Gives up the places of entries that no longer count at `now`.
void drop_ended(const CompiledLimit& limit, Time now, LogRing& ring) noexcept;

/// With so many places a ring always has room, whatever is admitted or debited.
[[nodiscard]] constexpr std::size_t most_log_entries(const CompiledLimit& limit) noexcept {
  return limit.limit.count() + 2;
}

/// The first instant from which on the state is the same as a fresh one, rounded up to the
/// nanosecond; `Time::max()` where that lies beyond all time.
[[nodiscard]] Time idle_from(const CompiledLimit& limit, const WideState& state) noexcept;
[[nodiscard]] Time idle_from(const CompiledLimit& limit, const LogRing& ring) noexcept;

/// The units that are used up at `now` (more than the capacity where in debt), rounded up: what a
/// changed limit carries over.
[[nodiscard]] std::uint64_t used_units(const CompiledLimit& limit, Time now,
                                       WordState state) noexcept;
[[nodiscard]] std::uint64_t used_units(const CompiledLimit& limit, Time now,
                                       const WideState& state) noexcept;
[[nodiscard]] std::uint64_t used_units(const CompiledLimit& limit, Time now,
                                       const LogRing& ring) noexcept;

/// A state with `used` units used up at `now`: what a debit of them makes of a fresh one. For a
/// log, debit an empty ring.
[[nodiscard]] WordState word_with_used(const CompiledLimit& limit, Time now,
                                       std::uint64_t used) noexcept;
[[nodiscard]] WideState wide_with_used(const CompiledLimit& limit, Time now,
                                       std::uint64_t used) noexcept;

/// The units that a key of the limit `before` with `used` units keeps used when its limit becomes
/// `after`. A larger or smaller count is another quota: the units used stay used. Where only the
/// burst of a token bucket changed, the units left stay left (the room that a raised burst brings
/// fills at the rate). Where a window became shorter, its share of the units stays used.
[[nodiscard]] std::uint64_t carried_units(const Limit& before, std::uint64_t used,
                                          const Limit& after) noexcept;

}  // namespace weir
