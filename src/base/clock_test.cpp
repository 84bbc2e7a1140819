// SPDX-License-Identifier: Apache-2.0
#include <weir/clock.hpp>

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(ManualClock, MovesOnlyForwards) {
  ManualClock clock(Time{5s});
  clock.set(Time{3s});
  EXPECT_EQ(clock.now(), Time{5s});
  clock.advance(2s);
  EXPECT_EQ(clock.now(), Time{7s});
}

TEST(ManualClock, StopsAtTheEndOfTime) {
  ManualClock clock;
  clock.set(Time::max());
  EXPECT_EQ(clock.now(), latest_time);
}

TEST(SteadyClock, StartsAtTheWallTimeAndNeverStepsBack) {
  const SteadyClock clock;
  const auto wall = std::chrono::system_clock::now();
  Time last = clock.now();
  EXPECT_LT(std::chrono::abs(last - wall), 1s);
  for (int i = 0; i < 1000; ++i) {
    const Time now = clock.now();
    EXPECT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace weir
