// SPDX-License-Identifier: Apache-2.0
#include "redis/bucket_scale.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "limit/random_history.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;

TEST(BucketScale, WholeMicrosecondsNeedNoFraction) {
  const BucketScale scale(CompiledLimit(token_bucket(10, 1s)));
  EXPECT_EQ(scale.base(), 1u);
  EXPECT_EQ(scale.work(3), (HiLo{300'000, 0}));
  EXPECT_EQ(scale.instant(Time{1s}), (HiLo{1'000'000, 0}));
}

TEST(BucketScale, ThirdsOfASecondAreKeptWhole) {
  const BucketScale scale(CompiledLimit(token_bucket(3, 1s)));
  EXPECT_EQ(scale.base(), 3u);
  EXPECT_EQ(scale.work(1), (HiLo{333'333, 1}));
  EXPECT_EQ(scale.work(3), (HiLo{1'000'000, 0}));
}

TEST(BucketScale, UnitsBelowAMicrosecondAreKeptWhole) {
  const BucketScale scale(CompiledLimit(token_bucket(3'000'000, 1s)));
  EXPECT_EQ(scale.work(1), (HiLo{0, 1}));
  EXPECT_EQ(scale.work(3), (HiLo{1, 0}));
}

TEST(BucketScale, ABucketOfManyYearsIsCountedCoarsely) {
  const BucketScale scale(CompiledLimit(token_bucket(1, 365 * 24h).with_burst(1'000'000'000)));
  EXPECT_GT(scale.hi_us(), 1u);
  EXPECT_LT(scale.work(1'000'000'000).hi, most_number / 2);
}

TEST(BucketScale, WorkBeyondAllTimeSaturates) {
  const BucketScale scale(CompiledLimit(token_bucket(1, 365 * 24h)));
  const HiLo work = scale.work(~std::uint64_t{0});
  EXPECT_EQ(work, (HiLo{most_number, 0}));
  EXPECT_EQ(scale.ticks<std::int64_t>(work), std::numeric_limits<std::int64_t>::max());
}

TEST(BucketScale, OfACountOfZeroTimeStandsStill) {
  const BucketScale scale(CompiledLimit(token_bucket(0, 1s).with_burst(5)));
  HiLo latest;
  EXPECT_EQ(scale.instant(Time{100h}), (HiLo{0, 0}));
  EXPECT_TRUE(scale.latest(Time{100h}, 2, latest));
  EXPECT_EQ(latest, (HiLo{3, 0}));
  EXPECT_FALSE(scale.latest(Time{100h}, 6, latest));
  EXPECT_EQ(scale.longest_state(1), Duration::max());
}

// Times, works and their sums are the limit's own ticks, to the last one, and stay below 2^53.
TEST(BucketScale, IsExactForEveryLimit) {
  EXPECT_TRUE(rc::check([] {
    const auto algorithm = *rc::gen::element(Algorithm::token_bucket, Algorithm::leaky_queue);
    const CompiledLimit limit(random_limit(algorithm));
    RC_LOG() << limit.limit.to_string() << '\n';
    const BucketScale scale(limit);
    const auto us = *rc::gen::inRange<std::int64_t>(0, 4'611'686'018'427'387);
    const Time now{std::chrono::microseconds{us}};
    const HiLo instant = scale.instant(now);
    const auto per_ns = static_cast<Int128>(limit.ticks_per_ns);
    RC_ASSERT(scale.ticks<Int128>(instant) == now.time_since_epoch().count() * per_ns);

    const auto cost = *rc::gen::inRange<std::uint64_t>(0, limit.limit.capacity() + 1);
    const HiLo work = scale.work(cost);
    RC_ASSERT(scale.ticks<Int128>(work) == static_cast<Int128>(Uint128{cost} * limit.unit_ticks));
    HiLo latest;
    RC_ASSERT(scale.latest(now, cost, latest));
    RC_ASSERT(latest.hi + work.hi + 1 < most_number);
    RC_ASSERT(latest.lo < scale.base() && work.lo < scale.base());
    RC_ASSERT(scale.base() * 2 < most_number);
  }));
}

}  // namespace
}  // namespace weir::redis
