// SPDX-License-Identifier: Apache-2.0
// The decision itself: (limit, state, now, cost) -> (state, decision). Pure: no clock, no lock, no
// allocation. SEMANTICS in docs/ has the arithmetic of every algorithm.
#pragma once

#include <compare>
#include <cstdint>

#include <weir/decision.hpp>

#include "limit/compiled.hpp"
#include "limit/log_ring.hpp"

namespace weir {

enum class Verb : std::uint8_t { acquire, peek, debit, refund };

/// 8 bytes of state: the instant, in ns since the epoch, at which nothing is owed any more. The
/// state of a fresh key is 0, and a state at or before `now` is the same as a fresh one.
using WordState = std::int64_t;

/// 16 bytes of state, read only by the steps of the algorithm that wrote them. All zero is fresh.
struct WideState {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  friend constexpr bool operator==(const WideState&, const WideState&) = default;
};

/// Takes one step. `state` is changed only where the verb and the verdict change it: by a peek, a
/// refused call or a cost of 0 it is left as it was. Times earlier than the state has seen count as
/// the latest seen. Costs of any size are safe: what cannot fit is refused, debts saturate.
[[nodiscard]] Decision step(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now,
                            WordState& state) noexcept;
[[nodiscard]] Decision step(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now,
                            WideState& state) noexcept;

/// The same for a log. The ring must have room for one more entry (`LogRing::has_room`).
[[nodiscard]] Decision step(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now,
                            LogRing& ring) noexcept;

/// The first instant from which on the state is the same as a fresh one, rounded up to the
/// nanosecond; `Time::max()` where that lies beyond all time.
[[nodiscard]] Time idle_from(const CompiledLimit& limit, const WideState& state) noexcept;
[[nodiscard]] Time idle_from(const CompiledLimit& limit, const LogRing& ring) noexcept;

/// The units that are used up at `now` (negative never; more than the capacity where in debt),
/// rounded up: what a changed limit carries over.
[[nodiscard]] std::uint64_t used_units(const CompiledLimit& limit, Time now, WordState state) noexcept;
[[nodiscard]] std::uint64_t used_units(const CompiledLimit& limit, Time now, const WideState& state) noexcept;
[[nodiscard]] std::uint64_t used_units(const CompiledLimit& limit, Time now, const LogRing& ring) noexcept;

/// The units that a key of the limit `before` with `used` units keeps used when its limit becomes
/// `after`. A larger or smaller count is another quota: the units used stay used. Where only the
/// burst of a bucket changed, the units left stay left (the room that a raised burst brings fills
/// at the rate).
[[nodiscard]] std::uint64_t carried_units(const Limit& before, std::uint64_t used, const Limit& after) noexcept;

}  // namespace weir
