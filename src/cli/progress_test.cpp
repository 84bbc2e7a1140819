// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace weir::cli {
namespace {

using namespace std::chrono_literals;

struct ProgressTest : testing::Test {
  void steps(Progress& progress, int count) {
    for (int i = 0; i < count; ++i) progress.step("lines read");
  }
  std::ostringstream out, err;
  ManualClock clock;
};

TEST_F(ProgressTest, AShortTaskTellsNothing) {
  const Streams streams{out, err};
  {
    Progress progress(streams, clock);
    steps(progress, 100'000);
    clock.advance(9s);
    steps(progress, 100'000);
  }
  EXPECT_EQ(err.str(), "");
}

TEST_F(ProgressTest, ALongTaskTellsALineNowAndThen) {
  const Streams streams{out, err};
  Progress progress(streams, clock);
  clock.advance(10s);
  steps(progress, 4096 * 3);
  EXPECT_EQ(err.str(), "4,096 lines read\n");
  clock.advance(10s);
  progress.restart();
  steps(progress, 4096);
  EXPECT_EQ(err.str(), "4,096 lines read\n4,096 lines read\n");
  EXPECT_EQ(out.str(), "");
}

TEST_F(ProgressTest, WhereSomebodyWatchesOneLineStandsAndGoes) {
  const Streams streams{out, err, true};
  {
    Progress progress(streams, clock);
    clock.advance(200ms);
    steps(progress, 4096);
    EXPECT_EQ(err.str(), "\r\x1b[K4,096 lines read");
  }
  EXPECT_EQ(err.str(), "\r\x1b[K4,096 lines read\r\x1b[K");
}

}  // namespace
}  // namespace weir::cli
