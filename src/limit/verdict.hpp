// SPDX-License-Identifier: Apache-2.0
// What the steps of all algorithms have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <weir/decision.hpp>

#include "limit/compiled.hpp"
#include "limit/state.hpp"

namespace weir {

/// GCC and clang have 128-bit integers on every 64-bit machine.
using Int128 = __int128;
using Uint128 = unsigned __int128;

/// Whether the verb takes units where the verdict of `acquire` is `fits`.
[[nodiscard]] constexpr bool takes(Verb verb, bool fits) noexcept {
  return verb == Verb::debit || (verb == Verb::acquire && fits);
}

/// A decision with its verdict; the numbers are still to be filled in.
[[nodiscard]] inline Decision verdict(const CompiledLimit& limit, Verb verb, bool fits) noexcept {
  Decision decision;
  decision.allowed = fits || verb == Verb::refund;
  decision.limit = limit.limit.count();
  decision.capacity = limit.limit.capacity();
  return decision;
}

/// The units used after the verb, where they are kept as a plain count of at most `most`.
[[nodiscard]] constexpr std::uint64_t used_after(Verb verb, bool fits, std::uint64_t used,
                                                 std::uint64_t cost, std::uint64_t most) noexcept {
  if (takes(verb, fits)) return used + std::min(cost, most - used);
  if (verb == Verb::refund) return used - std::min(cost, used);
  return used;
}

[[nodiscard]] constexpr std::uint64_t units_left(std::uint64_t capacity,
                                                 std::uint64_t used) noexcept {
  return capacity - std::min(capacity, used);
}

}  // namespace weir
