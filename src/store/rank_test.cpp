// SPDX-License-Identifier: Apache-2.0
// Who goes first when room is needed.
#include "store/rank.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "store/table_fixture.hpp"

namespace weir::store {
namespace {

using namespace std::chrono_literals;

Decision left(std::uint64_t remaining) { return {.allowed = true, .remaining = remaining}; }

std::int64_t at_ns(Duration since) { return at(since).time_since_epoch().count(); }

std::int64_t order(const Limit& limit, Time idle, std::uint64_t remaining) {
  return order_of_rank(rank_of(limit, idle, left(remaining)));
}

TEST(Rank, AnEntryIsNeverFreeBeforeItIsIdleAndSoonAfter) {
  EXPECT_TRUE(rc::check([] {
    const Limit limit = *rc::gen::element(token_bucket(10, 1h), fixed_window(10, 1h));
    const Time idle{
        Duration{*rc::gen::inRange<std::int64_t>(0, latest_time.time_since_epoch().count())}};
    const auto rank = rank_of(limit, idle, left(*rc::gen::inRange<std::uint64_t>(0, 11)));
    RC_ASSERT(rank >= idle.time_since_epoch().count());
    RC_ASSERT(rank < idle.time_since_epoch().count() + 2 * rank_grain_ns);
  }));
}

TEST(Rank, ASlackIsKeptToOnePartIn128) {
  EXPECT_TRUE(rc::check([] {
    const auto longest = static_cast<std::uint64_t>(Limit::longest_period.count());
    const auto slack = *rc::gen::inRange<std::uint64_t>(0, longest) >> *rc::gen::inRange(0, 55);
    const auto note = slack_note(slack);
    RC_ASSERT(note >= 0 && note < nothing_left);
    const auto kept = static_cast<std::uint64_t>(slack_of_note(note));
    RC_ASSERT(kept <= slack);
    RC_ASSERT(slack - kept <= slack / 128);
  }));
}

TEST(Rank, KeysOfOneWindowGoByWhatTheyHaveUsed) {
  const Limit window = fixed_window(5000, 24h);
  for (std::uint64_t remaining = 1; remaining <= 4900; remaining += 100) {
    EXPECT_LT(order(window, at(24h), remaining + 99), order(window, at(24h), remaining));
  }
}

TEST(Rank, AKeyWithNothingLeftGoesAfterEveryOtherHoweverLongThatOwes) {
  EXPECT_GT(order(sliding_log(3, 60s), at(61s), 0), order(sliding_log(3, 60s), at(120s), 2));
  EXPECT_GT(order(fixed_window(3, 60s), at(60s), 0), order(fixed_window(9, 24h * 365), at(24h), 1));
  EXPECT_GT(order(token_bucket(3, 1s), at(1s), 0), order(token_bucket(3, 24h), at(8h), 2));
  EXPECT_GT(order(token_bucket(3, 1s), Time::max(), 0), order(token_bucket(3, 1s), at(1s), 0));
}

TEST(Rank, AWindowsKeyGoesWhereABucketsKeyOfTheSameUseWould) {
  // A quarter used: paid off after a quarter of the period.
  const auto log = order(sliding_log(1000, 1h), at(1h), 750);
  EXPECT_NEAR(double(log - at_ns(15min)), 0, 1e9 * 60);
  EXPECT_LE(order(token_bucket(1000, 1h), at(15min), 750) - at_ns(15min), rank_grain_ns);
}

TEST(Rank, WhatALimitGivesIsARankAndWhatHasNoPlaceIsNone) {
  const auto rank = [](const Limit& limit, Time idle, std::uint64_t remaining) {
    Decision decision;
    decision.remaining = remaining;
    return rank_of(limit, idle, decision);
  };
  EXPECT_TRUE(is_rank(rank(fixed_window(1, Limit::longest_period), Time::max(), 1)));
  EXPECT_TRUE(is_rank(rank(sliding_log(3, 60s), at(61s), 0)));
  EXPECT_TRUE(is_rank(rank(token_bucket(3, 1s), at(1s), 2)));
  EXPECT_TRUE(is_rank(0));
  EXPECT_FALSE(is_rank(-1));
  EXPECT_FALSE(is_rank(std::numeric_limits<std::int64_t>::max()));
  EXPECT_FALSE(is_rank(0x27ffffffffffff41)) << "a slack of more than all time";
}

TEST(Rank, OddLimitsHaveAPlaceToo) {
  EXPECT_GT(order(fixed_window(0, 1s), at(1s), 0), 0);
  EXPECT_GT(order(fixed_window(1'000'000'000, 1ms), at(1ms), 999'999'999), 0);
  EXPECT_GT(order(leaky_queue(10, 1s), at(1s), 11), 0);
}

}  // namespace
}  // namespace weir::store
