// SPDX-License-Identifier: Apache-2.0
// How entries that all still owe something are ordered: who owes least goes first when room is
// needed.
//
// What an entry owes is told by the instant at which it would be paid off if it were a bucket. For
// a bucket that is its state. A window's or a log's units count in full until they leave together,
// so their entry is idle later than that: by the slack, the unused part of the limit's period.
//
//     rank   [ idle from, in ns, rounded up to 16 us: 50 bits | note: 14 bits ]
//     note   a slack: 6 bits of exponent and 8 of mantissa; or 0: none; or all ones: nothing is
//     left
//
// A key with nothing left goes after all others: a flood of new keys must not wash it clean,
// however soon its units leave.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <weir/decision.hpp>
#include <weir/limit.hpp>

namespace weir::store {

inline constexpr int rank_note_bits = 14;
inline constexpr std::int64_t rank_grain_ns = std::int64_t{1} << rank_note_bits;
inline constexpr std::int64_t nothing_left = rank_grain_ns - 1;

/// A length of time in 14 bits, rounded down; never that of `nothing_left`, which would be too
/// long.
[[nodiscard]] constexpr std::int64_t slack_note(std::uint64_t slack_ns) noexcept {
  const int exponent = std::max(0, static_cast<int>(std::bit_width(slack_ns)) - 8);
  return exponent << 8 | static_cast<std::int64_t>(slack_ns >> exponent);
}

[[nodiscard]] constexpr std::int64_t slack_of_note(std::int64_t note) noexcept {
  return (note & 0xff) << (note >> 8);
}

/// The value of a pair whose state is idle from `idle` on and has just given `decision`.
[[nodiscard]] inline std::int64_t rank_of(const Limit& limit, Time idle,
                                          const Decision& decision) noexcept {
  const auto idle_ns = std::min(idle, latest_time).time_since_epoch().count();
  const std::int64_t rounded = (idle_ns + rank_grain_ns - 1) & -rank_grain_ns;
  if (decision.remaining == 0) return rounded | nothing_left;
  if (limit.has_burst()) return rounded;
  const auto period_ns = static_cast<std::uint64_t>(limit.period().count());
  return rounded | slack_note(period_ns / limit.count() * decision.remaining);
}

/// Whether a value that comes from outside can be that of a pair: others have no place in the
/// order.
[[nodiscard]] constexpr bool is_rank(std::int64_t value) noexcept {
  constexpr auto longest_ns = static_cast<std::uint64_t>(Limit::longest_period.count());
  const std::int64_t note = value & nothing_left;
  return value >= 0 && value - note <= latest_time.time_since_epoch().count() &&
         (note == nothing_left || note <= slack_note(longest_ns));
}

/// Where an entry with this value stands in the order.
[[nodiscard]] constexpr std::int64_t order_of_rank(std::int64_t rank) noexcept {
  constexpr std::int64_t after_all_others = std::int64_t{1} << 61;  // 73 years; no sum overflows
  const std::int64_t note = rank & nothing_left;
  const std::int64_t idle_ns = rank - note;
  if (note == nothing_left) return idle_ns + after_all_others;
  return idle_ns - slack_of_note(note);
}

}  // namespace weir::store
