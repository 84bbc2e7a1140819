// SPDX-License-Identifier: Apache-2.0
// Known faults of rate limiters that any algorithm can have; none does here.
#include "limit/step.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "limit/test_counter.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t largest_cost = std::numeric_limits<std::uint64_t>::max();
constexpr Duration ns{1};

TEST(Step, B02_ADeniedRequestTakesNothing) {
  for (const Algorithm algorithm : all_algorithms) {
    if (algorithm == Algorithm::leaky_queue) continue;  // takes any cost while its backlog is short
    TestCounter counter(Limit(algorithm, 10, 60s));
    EXPECT_EQ(counter.acquire(8, at(0s)).remaining, 2u) << to_string(algorithm);
    EXPECT_FALSE(counter.acquire(5, at(0s)).allowed) << to_string(algorithm);
    EXPECT_EQ(counter.peek(1, at(0s)).remaining, 2u) << to_string(algorithm);
    EXPECT_EQ(counter.acquire(1, at(0s)).remaining, 1u) << to_string(algorithm);
  }
}

TEST(Step, B03_ACostAboveTheCapacityIsNeverAdmittedAndTakesNothing) {
  for (const Algorithm algorithm : all_algorithms) {
    if (algorithm == Algorithm::leaky_queue) continue;
    TestCounter counter(Limit(algorithm, 10, 60s));
    const TestCounter fresh(counter);
    EXPECT_EQ(counter.acquire(11, at(0s)).retry_after, never) << to_string(algorithm);
    EXPECT_TRUE(counter == fresh) << to_string(algorithm);

    EXPECT_TRUE(counter.acquire(5, at(0s)).allowed) << to_string(algorithm);
    const Decision denied = counter.acquire(100, at(0s));
    EXPECT_FALSE(denied.allowed) << to_string(algorithm);
    EXPECT_EQ(denied.remaining, 5u) << to_string(algorithm);
    EXPECT_EQ(denied.retry_after, never) << to_string(algorithm);
    EXPECT_TRUE(counter.acquire(5, at(0s)).allowed) << to_string(algorithm);
    EXPECT_FALSE(counter.acquire(1, at(0s)).allowed) << to_string(algorithm);
  }
}

TEST(Step, B10_AClockThatStepsBackNeitherFreezesNorOpensAKey) {
  TestCounter counter(token_bucket(1, 1s).with_burst(3));
  ManualClock clock;
  std::string pattern;
  for (const auto second : {100s, 100s, 100s, 100s, 40s, 100s, 40s, 100s, 101s, 101s}) {
    clock.set(at(second));
    const Decision decision = counter.acquire(1, clock.now());
    pattern += decision.allowed ? 'A' : 'D';
    EXPECT_LE(decision.retry_after, 1s);
  }
  EXPECT_EQ(pattern, "AAADDDDDAD");
}

TEST(Step, B10_WindowsAndLogsTakeAnEarlierTimeAsTheLatestSeen) {
  for (const Limit& limit : {fixed_window(2, 60s), sliding_counter(2, 60s), sliding_log(2, 60s)}) {
    TestCounter counter(limit);
    EXPECT_EQ(verdicts(counter, {120s, 120s, 0s, 60s}), "AADD") << limit.to_string();
    EXPECT_EQ(counter.peek(1, at(0s)), counter.peek(1, at(120s))) << limit.to_string();
  }
}

TEST(Step, B11_HugeCostsAreRefusedAndTakeNothing) {
  for (const Algorithm algorithm : all_algorithms) {
    for (const std::uint64_t count : {std::uint64_t{7}, Limit::most_units}) {
      TestCounter counter(Limit(algorithm, count, 60s));
      EXPECT_TRUE(counter.acquire(1, latest_time - 1h).allowed);
      const TestCounter before(counter);
      for (const std::uint64_t cost : {largest_cost, largest_cost / 2, largest_cost / 2 + 1}) {
        const Decision denied = counter.acquire(cost, latest_time);
        if (algorithm == Algorithm::leaky_queue && denied.allowed) continue;  // below 73 years
        EXPECT_EQ(denied.retry_after, never) << to_string(algorithm);
        EXPECT_TRUE(counter == before) << to_string(algorithm);
      }
    }
  }
}

TEST(Step, B11_HugeDebitsSaturateAndNeverWrap) {
  for (const Algorithm algorithm : all_algorithms) {
    TestCounter counter(Limit(algorithm, 7, 60s));
    for (int i = 0; i < 4; ++i) {
      const Decision debited = counter.debit(largest_cost, latest_time);
      EXPECT_EQ(debited.remaining, 0u) << to_string(algorithm);
      EXPECT_EQ(debited.allowed, false) << to_string(algorithm);
      EXPECT_FALSE(counter.acquire(0, latest_time).allowed) << to_string(algorithm);
    }
  }
}

TEST(Step, B27_RefundsAreBounded) {
  TestCounter window(fixed_window(10, 60s));
  EXPECT_TRUE(window.acquire(10, at(0s)).allowed);
  EXPECT_EQ(window.refund(3, at(0s)).remaining, 3u);
  EXPECT_TRUE(window.acquire(3, at(0s)).allowed);
  const Decision full = window.refund(50, at(0s));
  EXPECT_TRUE(full.allowed);
  EXPECT_EQ(full.remaining, 10u);
  EXPECT_EQ(window.used_units(at(0s)), 0u);

  TestCounter bucket(token_bucket(50, 1s));
  EXPECT_EQ(bucket.debit(55, at(0s)).remaining, 0u);
  EXPECT_EQ(bucket.used_units(at(0s)), 55u);
  EXPECT_EQ(bucket.acquire(0, at(0s)).retry_after, 100ms) << "even a question must wait for 5";
}

TEST(Step, B42_ACountOfZeroAdmitsNothing) {
  for (const Algorithm algorithm : all_algorithms) {
    TestCounter counter(Limit(algorithm, 0, 60s));
    const TestCounter fresh(counter);
    const Decision denied = counter.acquire(1, at(0s));
    EXPECT_FALSE(denied.allowed) << to_string(algorithm);
    EXPECT_EQ(denied.retry_after, never) << to_string(algorithm);
    EXPECT_EQ(denied.remaining, 0u) << to_string(algorithm);
    EXPECT_TRUE(counter == fresh) << to_string(algorithm);
    EXPECT_TRUE(counter.acquire(0, at(0s)).allowed) << "a question: the key is not in debt";
  }
  TestCounter queue(leaky_queue(0, 1s).with_burst(5));
  EXPECT_EQ(queue.acquire(1, at(0s)).retry_after, never) << "nothing in it would ever start";
}

TEST(Step, B43_AdviceAfterTheVeryLastUnit) {
  TestCounter window(fixed_window(1, 60s));
  const Decision last = window.acquire(1, at(10s));
  EXPECT_EQ(last.remaining, 0u);
  EXPECT_EQ(last.reset_after, 50s);

  TestCounter bucket(token_bucket(1, 2s).with_burst(2));
  EXPECT_TRUE(bucket.acquire(1, at(0s)).allowed);
  const Decision second = bucket.acquire(1, at(0s));
  EXPECT_EQ(second.remaining, 0u);
  EXPECT_EQ(second.reset_after, 4s);
  EXPECT_EQ(bucket.peek(1, at(0s)).retry_after, 2s);
}

TEST(Step, B53_PeriodsEndToTheNanosecond) {
  for (const Duration period : {Duration{250ms}, Duration{1s}, Duration{60s}, Duration{3600s}}) {
    for (const Duration offset : {0ns, 31us + 0ns, 499'900'000ns, 999'999us + 0ns}) {
      const Time start = at(7200s + offset);
      TestCounter log(sliding_log(1, period));
      EXPECT_TRUE(log.acquire(1, start).allowed);
      EXPECT_FALSE(log.acquire(1, start + period - ns).allowed);
      EXPECT_TRUE(log.acquire(1, start + period).allowed);

      TestCounter window(fixed_window(1, period));
      EXPECT_TRUE(window.acquire(1, start).allowed);
      const Time end = start + window.peek(1, start).retry_after;
      EXPECT_EQ(end.time_since_epoch() % period, Duration{});
      EXPECT_FALSE(window.acquire(1, end - ns).allowed);
      EXPECT_TRUE(window.acquire(1, end).allowed);
    }
  }
}

}  // namespace
}  // namespace weir
