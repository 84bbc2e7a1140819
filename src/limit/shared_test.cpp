// SPDX-License-Identifier: Apache-2.0
#include "limit/shared.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(Share, OfARateThatDividesIsItsPart) {
  EXPECT_EQ(share_of(token_bucket(100, 1s).with_burst(50), 5), token_bucket(20, 1s).with_burst(10));
  EXPECT_EQ(share_of(fixed_window(100, 1min), 5), fixed_window(20, 1min));
  EXPECT_EQ(share_of(sliding_log(100, 1min), 1), sliding_log(100, 1min));
}

TEST(Share, OfABucketWhoseRateDoesNotDivideTakesItsUnitsFromALongerPeriod) {
  EXPECT_EQ(share_of(token_bucket(10, 1s), 3), token_bucket(10, 3s).with_burst(3));
  EXPECT_EQ(share_of(leaky_queue(1, 1s).with_burst(2), 4), leaky_queue(1, 4s).with_burst(1));
}

TEST(Share, IsNeverNothing) {
  EXPECT_EQ(share_of(fixed_window(2, 1s), 5), fixed_window(1, 1s));
  EXPECT_EQ(share_of(token_bucket(3, 365 * 24h), 2), token_bucket(1, 365 * 24h));
  EXPECT_EQ(share_of(token_bucket(0, 1s).with_burst(4), 2), token_bucket(0, 1s).with_burst(4));
}

TEST(Share, OfAllInstancesIsAtMostTheLimit) {
  rc::check([] {
    const auto instances = *rc::gen::inRange<std::uint64_t>(1, 200);
    const auto count = *rc::gen::inRange<std::uint64_t>(instances, 1'000'000);
    const auto burst = *rc::gen::inRange<std::uint64_t>(instances, 1'000'000);
    const Limit limit = token_bucket(count, 1s).with_burst(burst);
    const Limit share = share_of(limit, instances);
    RC_ASSERT(share.capacity() * instances <= burst);
    // count / period, compared without fractions
    const auto part = share.count() * instances * static_cast<std::uint64_t>((1s).count());
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(share.period()).count();
    RC_ASSERT(part <= count * static_cast<std::uint64_t>(seconds));
  });
}

TEST(LongestState, IsUntilAFullStateIsFresh) {
  EXPECT_EQ(longest_state(token_bucket(10, 1s).with_burst(50)), Duration{5s});
  EXPECT_EQ(longest_state(token_bucket(3, 1s).with_burst(1)), Duration{333'333'334});
  EXPECT_EQ(longest_state(fixed_window(10, 1min)), Duration{1min});
  EXPECT_EQ(longest_state(sliding_log(10, 1min)), Duration{1min});
  EXPECT_EQ(longest_state(sliding_counter(10, 1min)), Duration{2min});
  EXPECT_EQ(longest_state(token_bucket(0, 1s).with_burst(1)), never);
  EXPECT_EQ(longest_state(token_bucket(1, 365 * 24h).with_burst(1'000'000'000)), never);
}

}  // namespace
}  // namespace weir
