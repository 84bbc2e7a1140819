// SPDX-License-Identifier: Apache-2.0
// Fixed windows and sliding counters: known faults, and the edges of their packed states.
#include "limit/window.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "limit/test_counter.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Duration ns{1};

// 10 in the window before; 10 s of 60 are left of its weight: 10 * 10 / 60 is 1 whole unit, so 9
// more.
TEST(Window, B08_ASlidingCounterRemembersTheWindowBefore) {
  TestCounter counter(sliding_counter(10, 60s));
  EXPECT_EQ(admitted(counter, at(0s), 10), 10);
  EXPECT_EQ(counter.idle_from(), at(114s + ns)) << "10 * x / 60 s is below 1 for the last 6 s";
  EXPECT_EQ(admitted(counter, at(110s), 20), 9);
}

TEST(Window, B27_AnEndedWindowGivesNothingBack) {
  for (const Limit& limit : {fixed_window(10, 60s), sliding_counter(10, 60s)}) {
    TestCounter counter(limit);
    EXPECT_TRUE(counter.acquire(10, at(59s)).allowed);
    const TestCounter before(counter);
    const Decision next_window = counter.refund(10, at(60s));
    EXPECT_EQ(next_window.remaining, limit.algorithm() == Algorithm::fixed_window ? 10u : 0u);
    EXPECT_TRUE(counter == before) << limit.to_string();
  }
}

TEST(Window, B48_TheWaitIsWhatIsLeftOfTheWindow) {
  TestCounter counter(fixed_window(2, 20s));
  EXPECT_EQ(admitted(counter, at(0s), 2), 2);
  EXPECT_EQ(counter.acquire(1, at(19s)).retry_after, 1s);
  EXPECT_EQ(counter.acquire(1, at(19'999ms)).retry_after, 1ms);
}

TEST(Window, B08_StateLastsUntilTheWindowEnds) {
  TestCounter counter(fixed_window(5, 3600s));
  EXPECT_EQ(admitted(counter, at(0s), 5), 5);
  EXPECT_EQ(counter.idle_from(), at(3600s));
  EXPECT_FALSE(counter.acquire(1, at(3599s)).allowed);
}

TEST(Window, TheWorkedExampleOfTheSlidingCounter) {
  TestCounter counter(sliding_counter(50, 60s));
  EXPECT_TRUE(counter.acquire(42, at(30s)).allowed);
  EXPECT_TRUE(counter.acquire(18, at(75s)).allowed);
  EXPECT_EQ(counter.peek(1, at(75s)).remaining, 1u) << "42 * 45 / 60 + 18 = 49.5";
  EXPECT_TRUE(counter.acquire(1, at(75s)).allowed);
  const Decision denied = counter.acquire(1, at(75s));
  EXPECT_FALSE(denied.allowed);
  // 42 * x / 60 s + 19 falls below 50 when x is just under 44.285714286 s.
  EXPECT_EQ(denied.retry_after, 45s - 44'285'714'285ns);
}

TEST(Window, AFullPresentWindowIsWaitedForIntoTheNextOne) {
  TestCounter counter(sliding_counter(10, 60s));
  EXPECT_TRUE(counter.acquire(10, at(0s)).allowed);
  // At 60 s all 10 still count; one whole unit less a nanosecond later.
  EXPECT_EQ(counter.acquire(1, at(1s)).retry_after, 59s + ns);
  EXPECT_EQ(counter.acquire(10, at(1s)).retry_after, 59s + 54s + ns);
}

TEST(Window, ADebtOfTheSlidingCounterLastsTwoWindowsAtMost) {
  TestCounter counter(sliding_counter(1, 1ms));
  EXPECT_FALSE(counter.debit(SlidingCounter::most_units, at(0ms)).allowed);
  EXPECT_EQ(counter.peek(1, at(0ms)).retry_after, 2ms);
  EXPECT_EQ(counter.peek(1, at(2ms)).remaining, 1u);

  TestCounter both(sliding_counter(5, 1ms));
  EXPECT_FALSE(both.debit(SlidingCounter::most_units, at(0ms)).allowed);
  EXPECT_FALSE(both.debit(4, at(1ms)).allowed);
  EXPECT_EQ(both.peek(1, at(1ms)).retry_after, 1ms) << "the older debt weighs to its last instant";
}

TEST(Window, CountsSaturateWithoutSpillingIntoTheirNeighbours) {
  TestCounter counter(sliding_counter(Limit::most_units, 1ms));
  constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  const Time before = latest_time - 2ms;
  EXPECT_EQ(counter.debit(huge, before).remaining, 0u);
  EXPECT_EQ(counter.used_units(before), SlidingCounter::most_units);
  EXPECT_EQ(counter.debit(huge, before + 1ms).remaining, 0u);
  EXPECT_GT(counter.used_units(before + 1ms), SlidingCounter::most_units);
  EXPECT_EQ(counter.refund(huge, before + 1ms).remaining, 0u) << "the window before still counts";
  EXPECT_EQ(counter.peek(1, latest_time).remaining, Limit::most_units);

  TestCounter fixed(fixed_window(10, 1ms));
  EXPECT_EQ(fixed.debit(huge, at(0s)).remaining, 0u);
  EXPECT_EQ(fixed.debit(huge, at(0s)).remaining, 0u);
  EXPECT_EQ(fixed.used_units(at(0s)), huge);
  EXPECT_EQ(fixed.peek(10, at(1ms)).remaining, 10u);
}

TEST(Window, TheLatestWindowIndexIsKeptWhole) {
  for (const Limit& limit : {fixed_window(2, 1ms), sliding_counter(2, 1ms)}) {
    TestCounter counter(limit);
    EXPECT_EQ(verdicts(counter, std::vector<Duration>(3, latest_time.time_since_epoch())), "AAD");
    EXPECT_GT(counter.idle_from(), latest_time) << limit.to_string();
    EXPECT_LE(counter.idle_from(), latest_time + 2ms) << limit.to_string();
  }
}

}  // namespace
}  // namespace weir
