// SPDX-License-Identifier: Apache-2.0
// In which units the store counts the time of a bucket or a queue.
//
//     a grain    the fraction of a microsecond in which no unit of cost loses anything
//     hi : lo    an instant: lo grains, and hi times `base` grains
//
// Where a unit takes whole microseconds a grain is one, `base` is 1, and lo is always 0. Where it
// does not (3 a second), `base` grains are a microsecond. Only where a full bucket holds more than
// 36 years (one a year with a burst of thousands) hi counts ten, a hundred, ... microseconds, so
// that every number that is ever admitted stays below 2^53.
#pragma once

#include <cstdint>

#include "limit/compiled.hpp"
#include "limit/verdict.hpp"

namespace weir::redis {

/// The largest number that the scripts count to. Debts saturate here: in the year 2255, where hi
/// counts microseconds, and one that reaches it is never paid.
inline constexpr std::uint64_t most_number = (std::uint64_t{1} << 53) - 1;

/// An instant, or a span of time.
struct HiLo {
  std::uint64_t hi = 0;
  std::uint64_t lo = 0;
  friend constexpr bool operator==(const HiLo&, const HiLo&) = default;
};

class BucketScale {
 public:
  /// Of a bucket or a queue. With a count of 0 time stands still: an instant is the units used.
  explicit BucketScale(const CompiledLimit& limit) noexcept;

  [[nodiscard]] std::uint64_t base() const noexcept { return base_; }

  /// How many microseconds one of hi is.
  [[nodiscard]] std::uint64_t hi_us() const noexcept { return hi_us_; }

  [[nodiscard]] HiLo instant(Time now) const noexcept { return split(grains(now)); }

  /// What `cost` units add; saturates at `most_number`.
  [[nodiscard]] HiLo work(std::uint64_t cost) const noexcept { return split(grains(cost)); }

  /// The latest instant at which nothing may be owed any more for `cost` to be admitted at `now`.
  /// False where it never is.
  [[nodiscard]] bool latest(Time now, std::uint64_t cost, HiLo& instant) const noexcept;

  /// How long a state that an acquire of `cost` leaves can matter.
  [[nodiscard]] Duration longest_state(std::uint64_t cost) const noexcept;

  /// An instant in the ticks of the limit's own arithmetic (`Bucket`); the last tick where it is
  /// saturated.
  template <typename Ticks>
  [[nodiscard]] Ticks ticks(const HiLo& instant) const noexcept {
    constexpr bool is_word = sizeof(Ticks) == sizeof(std::int64_t);
    constexpr Uint128 last = is_word ? ~std::uint64_t{0} >> 1 : ~Uint128{0} >> 1;
    if (instant.hi >= most_number) return static_cast<Ticks>(last);
    const Uint128 exact = (Uint128{instant.hi} * base_ + instant.lo) * ticks_per_grain_;
    return static_cast<Ticks>(exact < last ? exact : last);
  }

 private:
  [[nodiscard]] Uint128 grains(Time now) const noexcept;
  [[nodiscard]] Uint128 grains(std::uint64_t cost) const noexcept { return Uint128{cost} * unit_; }
  [[nodiscard]] HiLo split(Uint128 grains) const noexcept;
  [[nodiscard]] Uint128 ceiling(Uint128 work, bool& is_endless) const noexcept;

  bool queues_;
  bool is_timeless_;
  std::uint64_t unit_;  // grains that one unit of cost takes
  std::uint64_t grains_per_us_;
  std::uint64_t ticks_per_grain_;
  std::uint64_t hi_us_ = 1;
  std::uint64_t base_;
  Uint128 capacity_;  // in grains
};

}  // namespace weir::redis
