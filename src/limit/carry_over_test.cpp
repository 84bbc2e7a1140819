// SPDX-License-Identifier: Apache-2.0
// What a key keeps used when its limit changes.
#include "limit/step.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "limit/test_counter.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t largest_cost = std::numeric_limits<std::uint64_t>::max();
constexpr Duration ns{1};

TEST(CarryOver, B07_UnitsUsedAreCarriedToAChangedLimit) {
  const auto carried = [](const Limit& before, std::uint64_t used, const Limit& after) {
    return carried_units(before, used, after);
  };
  EXPECT_EQ(carried(fixed_window(100, 60s), 1, fixed_window(10, 60s)), 1u);
  EXPECT_EQ(carried(fixed_window(5, 60s), 5, fixed_window(10, 60s)), 5u);
  EXPECT_EQ(carried(fixed_window(10, 60s), 8, fixed_window(5, 60s)), 8u);
  EXPECT_EQ(carried(token_bucket(10, 1s), 8, token_bucket(20, 1s)), 8u);
  EXPECT_EQ(carried(token_bucket(10, 1s), 8, fixed_window(20, 1s)), 8u);
}

TEST(CarryOver, B07_WhereOnlyTheBurstChangedTheTokensStay) {
  const Limit small = token_bucket(1, 1s).with_burst(10);
  const Limit large = token_bucket(1, 1s).with_burst(20);
  EXPECT_EQ(carried_units(small, 8, large), 18u) << "2 tokens of 10 are 2 of 20";
  EXPECT_EQ(carried_units(small, 15, large), 25u) << "a debt of 5 stays one";
  EXPECT_EQ(carried_units(small, 0, large), 0u) << "a full bucket is an idle key";
  EXPECT_EQ(carried_units(large, 18, small), 8u);
  EXPECT_EQ(carried_units(large, 5, small), 0u) << "15 tokens of 20 fill 10";
  EXPECT_EQ(carried_units(small, largest_cost, large), largest_cost);
  EXPECT_EQ(carried_units(leaky_queue(1, 1s), 1, leaky_queue(1, 1s).with_burst(9)), 1u)
      << "work that waits goes on waiting";
}

TEST(CarryOver, B51_OfAShortenedWindowItsShareIsCarried) {
  EXPECT_EQ(carried_units(fixed_window(10, 60s), 1, fixed_window(10, 1s)), 0u);
  EXPECT_EQ(carried_units(fixed_window(10, 1s), 1, fixed_window(10, 60s)), 1u);
  EXPECT_EQ(carried_units(sliding_log(5, 15min), 4, sliding_log(5, 10min)), 2u);
  EXPECT_EQ(carried_units(fixed_window(10, 60s), largest_cost, fixed_window(10, 30s)),
            largest_cost / 2);

  TestCounter after(fixed_window(10, 1s));
  EXPECT_TRUE(after.debit(carried_units(fixed_window(10, 60s), 1, fixed_window(10, 1s)), at(30s)));
  EXPECT_EQ(after.acquire(1, at(30s)).remaining, 9u);
}

TEST(CarryOver, AStateWithUsedUnitsIsWhatADebitMakes) {
  const CompiledLimit word(token_bucket(10, 1s));
  const WordState word_state = word_with_used(word, at(5s), 4);
  EXPECT_EQ(word_state, (5s + 400ms) / ns);
  EXPECT_EQ(used_units(word, at(5s), word_state), 4u);

  for (const Limit& limit : {token_bucket(3, 1s), fixed_window(10, 1s), sliding_counter(10, 1s)}) {
    const CompiledLimit wide(limit);
    ASSERT_EQ(wide.shape, Shape::wide);
    EXPECT_EQ(used_units(wide, at(5s), wide_with_used(wide, at(5s), 4)), 4u);
    EXPECT_EQ(wide_with_used(wide, at(5s), 0), WideState{});
  }
}

}  // namespace
}  // namespace weir
