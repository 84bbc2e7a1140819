// SPDX-License-Identifier: Apache-2.0
// The state of a counter as it was found in the store, and what the limit's own step says to it.
//
//     bucket, queue    hi, hi|lo or hi:lo      bucket_scale.hpp; hi|lo: three digits of lo
//     fixed window     4 bytes: units left     one that stands alone, at a key for each window
//                      12 bytes: 0 and debt
//     fixed window     window:used             in a key with other limits of the rule
//     sliding counter  window:current:previous
//     sliding log      used:reset:wait         what its script tells of the list, in microseconds
#pragma once

#include <cstdint>
#include <string_view>

#include "limit/step.hpp"

namespace weir::redis {

/// As much of a sliding log as an answer needs.
struct FoundLog {
  std::uint64_t used = 0;
  Duration reset{};  ///< until all of it has left the period
  Duration wait{};   ///< until so much has left that the cost fits
};

/// The state that belongs to the limit's shape; the others are fresh.
struct Found {
  WordState word = 0;
  WideState wide;
  FoundLog log;
};

/// Where a state stands.
enum class Placed : std::uint8_t { alone, packed };

/// Reads a state that was found at `now`. False where the text is none.
[[nodiscard]] bool read_found(const CompiledLimit& limit, Placed placed, Time now,
                              std::string_view text, Found& found) noexcept;

/// The step on what was found, its waits rounded up to the microsecond. For a refund of a log what
/// was found is what it has left.
[[nodiscard]] Decision answer(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now,
                              Found found) noexcept;

/// The units that are used up at `now` of what was found.
[[nodiscard]] std::uint64_t used_units(const CompiledLimit& limit, Time now,
                                       const Found& found) noexcept;

/// Down to the microsecond: what the store counts.
[[nodiscard]] constexpr Time store_time(Time now) noexcept {
  return std::chrono::floor<std::chrono::microseconds>(now);
}

}  // namespace weir::redis
