// SPDX-License-Identifier: Apache-2.0
#include "front/latency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace weir::front {
namespace {

using namespace std::chrono_literals;

TEST(Latency, BoundsAscend) {
  EXPECT_TRUE(std::is_sorted(LatencyCounts::bounds.begin(), LatencyCounts::bounds.end()));
}

TEST(Latency, ADecisionIsCountedInTheBucketThatHoldsIt) {
  LatencyBook book;
  auto& histogram = book.open();
  histogram.observe(1us, 1);  // a bound is within
  histogram.observe(1us + 1ns, 2);
  histogram.observe(2s, 3);
  histogram.observe(-5ns, 4);  // a clock that is read late
  const auto counts = book.counts();
  EXPECT_EQ(counts.within[0], 5u);
  EXPECT_EQ(counts.within[1], 2u);
  EXPECT_EQ(std::accumulate(counts.within.begin(), counts.within.end(), std::uint64_t{0}), 7u);
  EXPECT_EQ(counts.beyond, 3u);
  EXPECT_EQ(counts.sum, 1us + 2 * (1us + 1ns) + 3 * 2s);
}

TEST(Latency, TheBookAddsAllLoops) {
  LatencyBook book;
  auto& first = book.open();
  auto& second = book.open();
  first.observe(10us, 1);
  second.observe(20us, 1);
  EXPECT_EQ(book.counts().sum, 30us);
}

}  // namespace
}  // namespace weir::front
