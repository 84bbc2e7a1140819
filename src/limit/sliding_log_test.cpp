// SPDX-License-Identifier: Apache-2.0
// The sliding log: known faults, and how its ring stays bounded.
#include "limit/sliding_log.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "limit/step.hpp"
#include "limit/test_counter.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(SlidingLog, B02_ALogThatDeniesFreesItselfInTime) {
  std::vector<Duration> times;
  std::string expected;
  for (int i = 0; i < 120; ++i) {
    times.push_back(i * 30s);
    expected += i % 20 < 10 ? 'A' : 'D';
  }
  EXPECT_EQ(verdicts(sliding_log(10, 600s), times), expected);
}

TEST(SlidingLog, B14_ALogCountsRequestsOfOneInstant) {
  TestCounter ones(sliding_log(5, 10s));
  EXPECT_EQ(admitted(ones, at(7s), 10), 5);

  TestCounter twos(sliding_log(5, 10s));
  EXPECT_TRUE(twos.acquire(2, at(7s)).allowed);
  EXPECT_TRUE(twos.acquire(2, at(7s)).allowed);
  EXPECT_FALSE(twos.acquire(2, at(7s)).allowed);
  EXPECT_EQ(twos.used_units(at(7s)), 4u);
}

TEST(SlidingLog, AnEntryExactlyAsOldAsThePeriodNoLongerCounts) {
  TestCounter counter(sliding_log(1, 10s));
  EXPECT_TRUE(counter.acquire(1, at(7s)).allowed);
  EXPECT_EQ(counter.acquire(1, at(17s - Duration{1})).retry_after, Duration{1});
  EXPECT_TRUE(counter.acquire(1, at(17s)).allowed);
}

TEST(SlidingLog, TheWaitIsForAsManyOfTheOldestAsTheCostNeeds) {
  TestCounter counter(sliding_log(10, 60s));
  EXPECT_TRUE(counter.acquire(2, at(1s)).allowed);
  EXPECT_TRUE(counter.acquire(3, at(2s)).allowed);
  EXPECT_TRUE(counter.acquire(5, at(3s)).allowed);
  EXPECT_EQ(counter.peek(2, at(10s)).retry_after, 51s);
  EXPECT_EQ(counter.peek(3, at(10s)).retry_after, 52s);
  EXPECT_EQ(counter.peek(5, at(10s)).retry_after, 52s);
  EXPECT_EQ(counter.peek(6, at(10s)).retry_after, 53s);
  EXPECT_EQ(counter.peek(6, at(10s)).reset_after, 53s);
}

TEST(SlidingLog, ARefundTakesTheNewestEntries) {
  TestCounter counter(sliding_log(10, 60s));
  for (const Duration time : {1s, 2s, 3s}) EXPECT_TRUE(counter.acquire(3, at(time)).allowed);
  EXPECT_EQ(counter.refund(4, at(4s)).remaining, 5u);
  EXPECT_EQ(counter.ring().size(), 2u);
  EXPECT_EQ(counter.idle_from(), at(62s));
  EXPECT_EQ(counter.refund(2, at(61s)).remaining, 10u) << "what has ended is not given back";
}

TEST(SlidingLog, DebitsNeverNeedMoreEntriesThanTheLimitHasUnitsAndOne) {
  const Limit limit = sliding_log(5, 60s);
  TestCounter counter(limit);
  std::vector<LogEntry> memory(8);
  ASSERT_LE(most_log_entries(counter.limit()), memory.size());
  LogRing ring(memory);
  for (int i = 1; i <= 50; ++i) {
    ASSERT_TRUE(ring.has_room());
    const Decision decision = step(counter.limit(), Verb::debit, 1, at(i * 1s), ring);
    EXPECT_EQ(decision.allowed, i <= 5);
    EXPECT_LE(ring.size(), limit.count() + 1);
  }
  EXPECT_EQ(ring.used(), 50u) << "nothing is forgotten";
  // 5 are used at most once all but the five newest are gone: the newest of those was of 45 s.
  EXPECT_EQ(step(counter.limit(), Verb::peek, 0, at(51s), ring).retry_after, 45s + 60s - 51s);
  EXPECT_EQ(step(counter.limit(), Verb::peek, 5, at(51s), ring).retry_after, 50s + 60s - 51s);
}

TEST(SlidingLog, WhatHasEndedIsDroppedWhenItsPlacesAreWanted) {
  const CompiledLimit limit(sliding_log(4, 10s));
  std::vector<LogEntry> memory(4);
  LogRing ring(memory);
  for (const Duration time : {0s, 1s, 2s, 3s}) {
    EXPECT_TRUE(step(limit, Verb::acquire, 1, at(time), ring).allowed);
  }
  EXPECT_FALSE(ring.has_room());
  EXPECT_FALSE(step(limit, Verb::acquire, 4, at(11s), ring).allowed);
  EXPECT_EQ(ring.size(), 4u) << "a refused call changes nothing";
  drop_ended(limit, at(11s), ring);
  EXPECT_EQ(ring.size(), 2u);
  EXPECT_EQ(ring.used(), 2u);
}

}  // namespace
}  // namespace weir
