// SPDX-License-Identifier: Apache-2.0
// The public limiters: for one key, and for many.
#include <weir/limiter.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <weir/keyed_limiter.hpp>

#include "limit/step.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

const std::vector<Limit>& all_limits() {
  static const std::vector<Limit> limits{
      token_bucket(5, 1s), token_bucket(7, 1s),    leaky_queue(5, 1s), fixed_window(5, 1s),
      sliding_log(5, 1s),  sliding_counter(5, 1s), token_bucket(0, 1s)};
  return limits;
}

TEST(Limiter, ALimiterAndAKeyOfAKeyedOneDecideAlike) {
  EXPECT_TRUE(rc::check([] {
    ManualClock clock(Time{1000h});
    const Limit limit = *rc::gen::elementOf(all_limits());
    Limiter one(limit, clock);
    KeyedLimiter many({limit}, {.memory_bytes = 128 << 10, .clock = &clock});
    const auto steps = *rc::gen::inRange(0, 60);
    for (int step = 0; step < steps; ++step) {
      clock.advance(std::chrono::milliseconds(*rc::gen::inRange(0, 400)));
      const auto cost = *rc::gen::inRange<std::uint64_t>(0, 7);
      switch (*rc::gen::inRange(0, 5)) {
        case 0: RC_ASSERT(one.peek(cost) == many.peek("key", cost)); break;
        case 1: RC_ASSERT(one.debit(cost) == many.debit("key", cost)); break;
        case 2: RC_ASSERT(one.refund(cost) == many.refund("key", cost)); break;
        default: RC_ASSERT(one.acquire(cost) == many.acquire("key", cost)); break;
      }
    }
  }));
}

TEST(Limiter, ALogGrowsWithItsLimit) {
  ManualClock clock(Time{1000h});
  Limiter limiter(sliding_log(5000, 60s), clock);
  for (int number = 0; number < 5000; ++number) {
    ASSERT_TRUE(limiter.acquire());
    clock.advance(1us);
  }
  EXPECT_FALSE(limiter.acquire());
  EXPECT_EQ(limiter.limit(), sliding_log(5000, 60s));
}

TEST(Limiter, ItsStateMovesWithIt) {
  ManualClock clock(Time{1000h});
  Limiter first(token_bucket(1, 1s), clock);
  ASSERT_TRUE(first.acquire());
  Limiter second = std::move(first);
  EXPECT_FALSE(second.acquire());
}

TEST(KeyedLimiter, KeysAreCountedApart) {
  ManualClock clock(Time{1000h});
  KeyedLimiter limiter({token_bucket(1, 1s)}, {.clock = &clock});
  for (const char* key : {"a", "b", "", "ab"}) {
    EXPECT_TRUE(limiter.acquire(key)) << key;
    EXPECT_FALSE(limiter.acquire(key)) << key;
  }
}

TEST(KeyedLimiter, B01_SeveralLimitsAreAllOrNothing) {
  ManualClock clock(Time{1000h});
  KeyedLimiter limiter({fixed_window(5, 60s), fixed_window(10, 3600s)}, {.clock = &clock});
  ASSERT_TRUE(limiter.acquire("u", 5));
  EXPECT_FALSE(limiter.acquire("u", 1));
  clock.advance(60s);
  // What the first limit refused was not charged to the second.
  EXPECT_TRUE(limiter.acquire("u", 5));
  EXPECT_EQ(limiter.acquire("u", 1).limit, 10u);
}

TEST(KeyedLimiter, B05_AllNumbersAreThoseOfTheLimitThatDecides) {
  ManualClock clock(Time{3600h});
  KeyedLimiter limiter({fixed_window(60, 60s), fixed_window(2, 3600s)}, {.clock = &clock});
  const auto admitted = limiter.acquire("u");
  EXPECT_EQ(admitted.limit, 2u);  // half of it is left, of the other nearly all
  EXPECT_EQ(admitted.remaining, 1u);
  ASSERT_TRUE(limiter.acquire("u"));
  const auto refused = limiter.acquire("u");
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.limit, 2u);
  EXPECT_EQ(refused.remaining, 0u);
  EXPECT_EQ(refused.retry_after, 3600s);
  EXPECT_EQ(refused.reset_after, 3600s);
}

TEST(KeyedLimiter, B05_OfSeveralRefusalsTheLongestWaitIsTold) {
  ManualClock clock(Time{3600h});
  KeyedLimiter limiter({fixed_window(2, 60s), fixed_window(2, 3600s)}, {.clock = &clock});
  ASSERT_TRUE(limiter.acquire("u", 2));
  EXPECT_EQ(limiter.acquire("u").retry_after, 3600s);
}

TEST(KeyedLimiter, AnAdmittedRequestWaitsAsLongAsItsSlowestQueue) {
  ManualClock clock(Time{3600h});
  KeyedLimiter limiter({fixed_window(3, 60s), leaky_queue(10, 1s)}, {.clock = &clock});
  ASSERT_TRUE(limiter.acquire("u"));
  const auto second = limiter.acquire("u");
  EXPECT_EQ(second.limit, 3u);
  EXPECT_EQ(second.delay, 100ms);
}

TEST(KeyedLimiter, AFullTableThatDeniesTellsWhenThereIsRoom) {
  ManualClock clock(Time{3600h});
  KeyedLimiter limiter({token_bucket(2, 60s)},
                       {.memory_bytes = 128 << 10, .when_full = WhenFull::deny, .clock = &clock});
  Decision refused;
  for (int key = 0; key < 10'000; ++key) {
    const auto decision = limiter.acquire(std::to_string(key));
    if (!decision) refused = decision;
  }
  EXPECT_EQ(refused.retry_after, 30s);
  EXPECT_EQ(refused.limit, 2u);
}

TEST(KeyedLimiter, ListsThatMakeNoSenseAreRefused) {
  const std::vector<Limit> none;
  EXPECT_THROW(KeyedLimiter(std::span<const Limit>(none)), std::invalid_argument);
  EXPECT_THROW(KeyedLimiter({token_bucket(1, 1s), token_bucket(1, 1s)}), std::invalid_argument);
  std::vector<Limit> many;
  for (std::uint64_t count = 1; count <= 17; ++count) many.push_back(token_bucket(count, 1s));
  EXPECT_THROW(KeyedLimiter(std::span<const Limit>(many)), std::invalid_argument);
  EXPECT_NO_THROW(KeyedLimiter(std::span<const Limit>(many).first(16)));
}

}  // namespace
}  // namespace weir
