// SPDX-License-Identifier: Apache-2.0
#include "cli/timeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

namespace weir::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr Time start{1'431'857'100s};  // 2015-05-17 10:05:00

std::string drawn(const Timeline& timeline) {
  std::ostringstream out;
  timeline.draw(out);
  return out.str();
}

TEST(Timeline, OneInstantIsOneStep) {
  Timeline timeline({start, start});
  timeline.count(start, true);
  ASSERT_EQ(timeline.steps().size(), 1u);
  EXPECT_EQ(timeline.steps()[0].admitted, 1u);
}

TEST(Timeline, StepsAreRoundAndAlignedToTheClock) {
  const Timeline hours({start, start + 10h});
  EXPECT_EQ(hours.step(), 30min);
  EXPECT_EQ(hours.start_of(0), start - 5min);
  EXPECT_EQ(hours.start_of(1), start + 25min);
  EXPECT_EQ(Timeline({start, start + 23s}).step(), 1s);
  EXPECT_EQ(Timeline({start, start + 24s}).step(), 2s);
}

TEST(Timeline, CountsWhereTheyBelong) {
  Timeline timeline({start, start + 59s});
  timeline.count(start, true);
  timeline.count(start + 59s, false);
  timeline.count(start + 58s, false);
  EXPECT_EQ(timeline.steps().front().admitted, 1u);
  EXPECT_EQ(timeline.steps().front().refused, 0u);
  EXPECT_EQ(timeline.steps().back().refused, 2u);
}

TEST(Timeline, AnySpanTakesABoundedNumberOfSteps) {
  rc::check([](std::uint32_t first_s, std::uint32_t length_s, std::uint32_t inside_s) {
    const Time first{std::chrono::seconds{first_s}};
    const Time last = first + std::chrono::seconds{length_s};
    Timeline timeline({first, last});
    RC_ASSERT(timeline.steps().size() <= Timeline::most_steps);
    RC_ASSERT(timeline.start_of(0) <= first);
    RC_ASSERT(timeline.start_of(timeline.steps().size()) > last);
    timeline.count(first + std::chrono::seconds{length_s == 0 ? 0 : inside_s % length_s}, true);
    timeline.count(last, true);
  });
}

TEST(Timeline, ARowShowsWhenHowAndHowMany) {
  Timeline timeline({start, start + 1s});
  for (int i = 0; i < 3000; ++i) timeline.count(start, true);
  timeline.count(start, false);
  timeline.count(start + 1s, false);
  const auto chart = drawn(timeline);
  EXPECT_THAT(chart, HasSubstr("2015-05-17 10:05:00  " + std::string(39, '#') + "x "));
  EXPECT_THAT(chart, HasSubstr("3,000            1\n"));
  EXPECT_THAT(chart, HasSubstr("2015-05-17 10:05:01  x "));
}

TEST(Timeline, NoRowIsWiderThanATerminal) {
  rc::check([](std::uint16_t admitted, std::uint16_t refused) {
    Timeline timeline({start, start + 1s});
    for (int i = 0; i < admitted; ++i) timeline.count(start, true);
    for (int i = 0; i < refused; ++i) timeline.count(start + (i % 2) * 1s, false);
    std::istringstream rows(drawn(timeline));
    for (std::string row; std::getline(rows, row);) RC_ASSERT(row.size() <= 90u);
  });
}

}  // namespace
}  // namespace weir::cli
