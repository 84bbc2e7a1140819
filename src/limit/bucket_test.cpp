// SPDX-License-Identifier: Apache-2.0
// Buckets and queues: known faults of their arithmetic, and the edges of their states.
#include "limit/bucket.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "limit/test_counter.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t largest_cost = std::numeric_limits<std::uint64_t>::max();
constexpr Duration ns{1};

TEST(Bucket, B04_WaitAdviceIsNeverRoundedDown) {
  TestCounter counter(token_bucket(3, 1s).with_burst(1));
  EXPECT_TRUE(counter.acquire(1, at(0s)).allowed);
  const Decision denied = counter.acquire(1, at(100ms));
  EXPECT_EQ(denied.retry_after, 233'333'334ns);
  EXPECT_FALSE(counter.acquire(1, at(100ms + denied.retry_after - ns)).allowed);
  EXPECT_TRUE(counter.acquire(1, at(100ms + denied.retry_after)).allowed);
}

TEST(Bucket, B08_StateLastsUntilTheAlgorithmIsDoneWithIt) {
  EXPECT_EQ(verdicts(token_bucket(3, 1s).with_burst(1), {0ms, 100ms, 340ms}), "ADA");
  EXPECT_EQ(verdicts(token_bucket(1, 10s), {0ms, 1500ms, 9900ms, 10s}), "ADDA");
}

TEST(Bucket, B09_DebtIsNotForgivenBeforeItIsPaid) {
  TestCounter counter(token_bucket(1, 1000s).with_burst(100));
  EXPECT_TRUE(counter.acquire(100, at(0s)).allowed);
  EXPECT_EQ(counter.acquire(1, at(301s)).retry_after, 699s);
  EXPECT_TRUE(counter.acquire(1, at(1000s)).allowed);
}

TEST(Bucket, B11_LongIdlenessDoesNotOverflow) {
  TestCounter counter(token_bucket(1'000'000'000, 1s));
  EXPECT_TRUE(counter.acquire(1, at(0s)).allowed);
  const Decision decision = counter.acquire(1, at(400 * 24h));
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(decision.remaining, 999'999'999u);
}

TEST(Bucket, B11_TheSlowestLimitWaitsItsWholeYear) {
  TestCounter counter(token_bucket(1, Limit::longest_period));
  EXPECT_TRUE(counter.acquire(1, at(0s)).allowed);
  EXPECT_EQ(counter.acquire(1, at(1s)).retry_after, Limit::longest_period - 1s);
}

TEST(Bucket, B11_AYearlyUnitWithTheLargestBurstIsHeldExactly) {
  TestCounter counter(token_bucket(1, Limit::longest_period).with_burst(Limit::most_units));
  const Decision all = counter.acquire(Limit::most_units, at(0s));
  EXPECT_TRUE(all.allowed);
  EXPECT_EQ(all.remaining, 0u);
  EXPECT_EQ(all.reset_after, never) << "a thousand million years";
  EXPECT_EQ(counter.acquire(1, at(1s)).retry_after, Limit::longest_period - 1s);
  EXPECT_EQ(counter.acquire(2, at(1s)).retry_after, 2 * Limit::longest_period - 1s);
  EXPECT_TRUE(counter.acquire(2, at(2 * Limit::longest_period)).allowed);
}

// Rates of 10/13, 1/3600, 1/7, 0.7, 3 and 7 a second.
TEST(Bucket, B13_NoDriftHoweverLongItRuns) {
  for (const Limit& limit : {token_bucket(10, 13s), token_bucket(1, 3600s), token_bucket(1, 7s),
                             token_bucket(7, 10s), token_bucket(3, 1s), token_bucket(7, 1s)}) {
    TestCounter counter(limit.with_burst(1));
    Time now = at(0s);
    constexpr int rounds = 10'000;
    for (int i = 0; i < rounds; ++i) {
      ASSERT_TRUE(counter.acquire(1, now).allowed) << limit.to_string();
      const Decision denied = counter.acquire(1, now);
      ASSERT_FALSE(denied.allowed) << limit.to_string();
      now += denied.retry_after;
    }
    const auto count = static_cast<std::int64_t>(limit.count());
    const Duration exact = limit.period() * rounds / count;
    EXPECT_GE(now, at(exact)) << limit.to_string();
    EXPECT_LE(now, at(exact + rounds * ns)) << limit.to_string();
  }
}

TEST(Bucket, B37_NumbersDoNotDependOnTheOrigin) {
  for (const Duration origin : {Duration{0}, Duration{1'700'000'000'123ms}}) {
    TestCounter counter(token_bucket(1, 12s).with_burst(5));
    struct Row {
      std::uint64_t cost;
      Duration after;
      std::uint64_t remaining;
      Duration reset_after;
    };
    for (const Row& row : {Row{4, 0s, 1, 48s}, Row{1, 0s, 0, 60s}, Row{1, 12s, 0, 60s},
                           Row{1, 72s, 4, 12s}, Row{1, 72s, 3, 24s}}) {
      const Decision decision = counter.acquire(row.cost, at(origin + row.after));
      EXPECT_TRUE(decision.allowed);
      EXPECT_EQ(decision.remaining, row.remaining);
      EXPECT_EQ(decision.reset_after, row.reset_after);
    }
  }
}

TEST(Bucket, B39_ACostOfTheWholeCapacityIsPossible) {
  TestCounter counter(token_bucket(60, 60s).with_burst(5));
  EXPECT_TRUE(counter.acquire(1, at(0s)).allowed);
  EXPECT_EQ(counter.acquire(5, at(0s)).retry_after, 1s);
  EXPECT_TRUE(counter.acquire(5, at(1s)).allowed);
  EXPECT_EQ(counter.acquire(6, at(100s)).retry_after, never);
}

TEST(Bucket, B40_TheNumbersThatRedisCellWouldTell) {
  TestCounter counter(token_bucket(30, 60s).with_burst(16));
  const Decision first = counter.acquire(1, at(0s));
  EXPECT_EQ(first.capacity, 16u);
  EXPECT_EQ(first.remaining, 15u);
  EXPECT_EQ(first.reset_after, 2s);
  const Decision second = counter.acquire(1, at(0s));
  EXPECT_EQ(second.remaining, 14u);
  EXPECT_EQ(second.reset_after, 4s);
}

TEST(Bucket, B42_ABucketOfCountZeroAdmitsItsBurstOnce) {
  TestCounter once(token_bucket(0, 1s).with_burst(1));
  EXPECT_EQ(verdicts(once, {0s, 1s, 1'000'000'000s}), "ADD");
  const Decision denied = once.peek(1, at(0s));
  EXPECT_EQ(denied.retry_after, never);
  EXPECT_EQ(denied.reset_after, never);
  EXPECT_EQ(once.idle_from(), Time::max());
  EXPECT_EQ(once.refund(5, at(0s)).remaining, 1u);
  EXPECT_EQ(once.idle_from(), at(0s));
  EXPECT_EQ(once.debit(3, at(0s)).remaining, 0u);
  EXPECT_EQ(once.used_units(at(0s)), 3u);
}

TEST(Bucket, B49_ALeakyBucketDrainsEvenly) {
  TestCounter counter(token_bucket(3, 1s));
  int count = 0;
  int in_a_row = 0;
  for (int i = 0; i < 100; ++i) {
    const Decision decision = counter.acquire(1, at(i * 100ms));
    if (i == 3) {
      EXPECT_EQ(decision.retry_after, 33'333'334ns) << "the first to be denied";
    }
    in_a_row = decision.allowed ? in_a_row + 1 : 0;
    EXPECT_TRUE(i < 3 || in_a_row < 3) << "a second burst, at " << i;
    count += decision.allowed ? 1 : 0;
  }
  EXPECT_EQ(count, 32);

  TestCounter burst(token_bucket(3, 1s));
  EXPECT_EQ(burst.acquire(3, at(0s)).reset_after, 1s);
}

TEST(Bucket, B55_RefillNeedsNoTimer) {
  struct Row {
    Limit limit;
    int expected;
  };
  for (const Row& row : {Row{token_bucket(1, 1s), 1 + 1000},
                         Row{token_bucket(10, 1s).with_burst(100), 100 + 10 * 1000}}) {
    TestCounter counter(row.limit);
    int count = 0;
    for (int ms = 0; ms <= 1'000'000; ++ms) {
      count += counter.acquire(1, at(ms * 1ms)).allowed ? 1 : 0;
    }
    EXPECT_EQ(count, row.expected) << row.limit.to_string();
    EXPECT_EQ(counter.peek(1, at(2000s)).remaining, row.limit.capacity());
  }
}

TEST(Bucket, B56_AQueueTakesACancelledPlaceBack) {
  TestCounter queue(leaky_queue(1, 1s).with_burst(3));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(queue.acquire(1, at(0s)).delay, i * 1s);
  EXPECT_TRUE(queue.refund(3, at(500ms)).allowed);
  EXPECT_EQ(queue.acquire(1, at(500ms)).delay, 500ms) << "starts at 1 s";
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(queue.refund(1, at(600ms)).allowed);
    EXPECT_EQ(queue.acquire(1, at(600ms)).delay, 400ms);
  }
}

TEST(Bucket, B88_ACostKnownAfterwardsMayLeaveADebtThatIsWaitedFor) {
  TestCounter counter(token_bucket(100, 60s));
  EXPECT_TRUE(counter.acquire(50, at(0s)).allowed);
  EXPECT_TRUE(counter.acquire(50, at(0s)).allowed);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(counter.acquire(50, at(0s)).allowed);
  EXPECT_FALSE(counter.debit(8, at(0s)).allowed);
  EXPECT_FALSE(counter.debit(30, at(0s)).allowed);
  EXPECT_EQ(counter.used_units(at(0s)), 138u);
  EXPECT_EQ(counter.peek(1, at(0s)).retry_after, 39 * 600ms);
  EXPECT_FALSE(counter.acquire(1, at(39 * 600ms - ns)).allowed);
  EXPECT_TRUE(counter.acquire(1, at(39 * 600ms)).allowed);
}

TEST(Bucket, BothWidthsDecideAlike) {
  const CompiledLimit limit(token_bucket(10, 1s).with_burst(50));
  ASSERT_EQ(limit.shape, Shape::word);
  std::int64_t narrow = 0;
  Int128 wide = 0;
  Time now = at(1'750'000'000s);
  for (int i = 0; i < 500; ++i) {
    const auto verb = static_cast<Verb>(i % 4);
    const auto cost = static_cast<std::uint64_t>(i * i % 23);
    now += (i * 7919) % 300 * 1ms;
    const Decision decision = Bucket<std::int64_t>(limit).step(verb, cost, now, narrow);
    ASSERT_EQ(decision, Bucket<Int128>(limit).step(verb, cost, now, wide));
    ASSERT_EQ(wide, narrow);
  }
}

TEST(Bucket, ADebtBeyondAllTimeIsNeverPaid) {
  for (const Limit& limit : {token_bucket(1, 1s), leaky_queue(1, 1s)}) {
    TestCounter counter(limit);
    const Decision debited = counter.debit(largest_cost, at(0s));
    EXPECT_EQ(debited.reset_after, never) << limit.to_string();
    EXPECT_EQ(counter.idle_from(), Time::max()) << limit.to_string();
    EXPECT_EQ(counter.acquire(1, latest_time).retry_after, never) << limit.to_string();
  }
}

TEST(Bucket, ADebtWithinTimeIsPaidToTheNanosecond) {
  TestCounter counter(token_bucket(1, 1s));
  const auto most = static_cast<std::uint64_t>(latest_time.time_since_epoch() / 1s);
  EXPECT_EQ(counter.debit(most, at(0s)).reset_after, most * 1s);
  EXPECT_EQ(counter.refund(most - 1, at(0s)).reset_after, 1s);
}

TEST(Bucket, AQueueWaitsForRoomAndTellsTheDelay) {
  TestCounter queue(leaky_queue(10, 1s).with_burst(2));
  EXPECT_EQ(queue.peek(1, at(0s)).remaining, 3u) << "one that starts at once and two that wait";
  for (const Duration delay : {0ms, 100ms, 200ms}) {
    const Decision joined = queue.acquire(1, at(0s));
    EXPECT_TRUE(joined.allowed);
    EXPECT_EQ(joined.delay, delay);
  }
  const Decision denied = queue.acquire(1, at(0s));
  EXPECT_EQ(denied.retry_after, 100ms);
  EXPECT_EQ(denied.delay, 0ms);
  EXPECT_EQ(queue.acquire(1, at(100ms)).delay, 200ms);
}

TEST(Bucket, AQueueIsNeverHeldUpForALifetime) {
  for (const Limit& limit : {leaky_queue(1, 1s), leaky_queue(3, 1s)}) {
    TestCounter queue(limit);
    const TestCounter fresh(queue);
    const std::uint64_t longest =
        limit.count() * static_cast<std::uint64_t>(Duration{1LL << 61} / 1s);
    EXPECT_EQ(queue.acquire(longest + 3, at(0s)).retry_after, never) << limit.to_string();
    EXPECT_TRUE(queue == fresh);
    EXPECT_TRUE(queue.acquire(longest, at(0s)).allowed) << limit.to_string();
    EXPECT_NE(queue.peek(1, at(0s)).retry_after, never) << limit.to_string();
  }
}

}  // namespace
}  // namespace weir
