// SPDX-License-Identifier: Apache-2.0
// Which limits need which state.
#include "limit/compiled.hpp"

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(CompiledLimit, AUnitOfWholeNanosecondsNeedsOneWord) {
  const CompiledLimit limit(token_bucket(10, 1s).with_burst(50));
  EXPECT_EQ(limit.shape, Shape::word);
  EXPECT_EQ(limit.ticks_per_ns, 1u);
  EXPECT_EQ(limit.unit_ticks, 100'000'000u);
  EXPECT_EQ(limit.capacity_ns, 5'000'000'000);
  EXPECT_EQ(CompiledLimit(leaky_queue(1, Limit::longest_period)).shape, Shape::word);
}

TEST(CompiledLimit, AUnitOfAFractionOfNanosecondsIsWide) {
  const CompiledLimit third(token_bucket(3, 1s));
  EXPECT_EQ(third.shape, Shape::wide);
  EXPECT_EQ(third.ticks_per_ns, 3u);
  EXPECT_EQ(third.unit_ticks, 1'000'000'000u);
  EXPECT_EQ(third.capacity_ns, 0);

  const CompiledLimit fastest(leaky_queue(Limit::most_units, Limit::shortest_period));
  EXPECT_EQ(fastest.shape, Shape::wide);
  EXPECT_EQ(fastest.ticks_per_ns, 1000u) << "a unit takes a picosecond";
  EXPECT_EQ(fastest.unit_ticks, 1u);
}

TEST(CompiledLimit, ABurstOfManyYearsIsWide) {
  const Limit yearly = token_bucket(1, Limit::longest_period);
  EXPECT_EQ(CompiledLimit(yearly.with_burst(36)).shape, Shape::word);
  EXPECT_EQ(CompiledLimit(yearly.with_burst(37)).shape, Shape::wide);
  EXPECT_EQ(CompiledLimit(yearly.with_burst(Limit::most_units)).shape, Shape::wide);
}

TEST(CompiledLimit, WindowsAreWideAndLogsAreLogs) {
  EXPECT_EQ(CompiledLimit(fixed_window(10, 1s)).shape, Shape::wide);
  EXPECT_EQ(CompiledLimit(sliding_counter(10, 1s)).shape, Shape::wide);
  EXPECT_EQ(CompiledLimit(sliding_log(10, 1s)).shape, Shape::log);
}

TEST(CompiledLimit, ACountOfZeroHasNoUnitTime) {
  const CompiledLimit limit(token_bucket(0, 1s).with_burst(1));
  EXPECT_EQ(limit.shape, Shape::wide);
  EXPECT_EQ(limit.ticks_per_ns, 1u);
  EXPECT_EQ(limit.unit_ticks, 0u);
  EXPECT_EQ(CompiledLimit(sliding_log(0, 1s)).shape, Shape::log);
}

}  // namespace
}  // namespace weir
