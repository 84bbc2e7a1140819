// SPDX-License-Identifier: Apache-2.0
#include "redis/bucket_scale.hpp"

#include <algorithm>
#include <numeric>

namespace weir::redis {
namespace {

// 36 years. A time, a full bucket and the longest work that a queue admits stay below 2^53
// together.
constexpr std::uint64_t most_capacity_us = (std::uint64_t{1} << 60) / 1000;

// What a queue admits beyond its burst (limit/bucket.hpp).
constexpr std::uint64_t longest_work_ns = std::uint64_t{1} << 61;

}  // namespace

BucketScale::BucketScale(const CompiledLimit& limit) noexcept
    : queues_(limit.limit.algorithm() == Algorithm::leaky_queue),
      is_timeless_(limit.limit.count() == 0),
      unit_(1),
      grains_per_us_(1),
      ticks_per_grain_(1),
      base_(1),
      capacity_(queues_ ? 0 : limit.limit.capacity()) {
  if (is_timeless_) return;
  // unit_ticks and ticks_per_ns have no common divisor: only that with 1000 is left to divide by.
  ticks_per_grain_ = std::gcd(limit.unit_ticks, std::uint64_t{1000});
  unit_ = limit.unit_ticks / ticks_per_grain_;
  grains_per_us_ = 1000 / ticks_per_grain_ * limit.ticks_per_ns;
  base_ = grains_per_us_;
  capacity_ = grains(limit.limit.capacity());
  while (capacity_ / base_ > most_capacity_us) {
    base_ *= 10;
    hi_us_ *= 10;
  }
}

Uint128 BucketScale::grains(Time now) const noexcept {
  if (is_timeless_) return 0;
  return Uint128{static_cast<std::uint64_t>(now.time_since_epoch().count() / 1000)} *
         grains_per_us_;
}

HiLo BucketScale::split(Uint128 grains) const noexcept {
  if (grains >> 64 == 0 && base_ == 1) {
    return {std::min(static_cast<std::uint64_t>(grains), most_number), 0};
  }
  const Uint128 hi = grains / base_;
  if (hi >= most_number) return {most_number, 0};
  return {static_cast<std::uint64_t>(hi), static_cast<std::uint64_t>(grains - hi * base_)};
}

Uint128 BucketScale::ceiling(Uint128 work, bool& is_endless) const noexcept {
  if (!queues_ || is_timeless_) {
    is_endless = work > capacity_;
    return is_endless ? 0 : capacity_ - work;
  }
  const Uint128 longest = Uint128{longest_work_ns} * grains_per_us_ / 1000;
  is_endless = work > std::max(capacity_, longest);
  return capacity_;
}

bool BucketScale::latest(Time now, std::uint64_t cost, HiLo& instant) const noexcept {
  bool is_endless = false;
  const Uint128 most_owed = ceiling(grains(cost), is_endless);
  instant = split(grains(now) + most_owed);
  return !is_endless;
}

Duration BucketScale::longest_state(std::uint64_t cost) const noexcept {
  if (is_timeless_) return Duration::max();
  const Uint128 most = capacity_ + (queues_ ? grains(cost) : 0);
  const Uint128 us = most / grains_per_us_ + 1;
  const auto longest = static_cast<Uint128>(Duration::max().count() / 1000);
  return us > longest ? Duration::max() : Duration{static_cast<std::int64_t>(us) * 1000};
}

}  // namespace weir::redis
