// SPDX-License-Identifier: Apache-2.0
#include "cli/spelled.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace weir::cli {
namespace {

using namespace std::chrono_literals;

TEST(Spelled, SpansAreExactInTheLargestUnitThatTheyFill) {
  EXPECT_EQ(spelled(Duration{0}), "0s");
  EXPECT_EQ(spelled(Duration{1}), "1ns");
  EXPECT_EQ(spelled(Duration{999}), "999ns");
  EXPECT_EQ(spelled(Duration{1'500}), "1.5us");
  EXPECT_EQ(spelled(Duration{366'960'124}), "366.960124ms");
  EXPECT_EQ(spelled(Duration{1s}), "1s");
  EXPECT_EQ(spelled(Duration{100s}), "100s");
  EXPECT_EQ(spelled(Duration{1'000'000'001}), "1.000000001s");
  EXPECT_EQ(spelled(never), "never");
}

TEST(Spelled, TimesAreUniversal) {
  EXPECT_EQ(spelled(Time{}), "1970-01-01 00:00:00");
  EXPECT_EQ(spelled(Time{1431857103s + 999ms}), "2015-05-17 10:05:03");
}

TEST(Spelled, ThousandsStandApart) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(123'456), "123,456");
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(Spelled, PartsOfAWhole) {
  EXPECT_EQ(percent(1, 8), "12.5 %");
  EXPECT_EQ(percent(0, 8), "0.0 %");
  EXPECT_EQ(percent(8, 8), "100.0 %");
  EXPECT_EQ(percent(0, 0), "-");
}

}  // namespace
}  // namespace weir::cli
