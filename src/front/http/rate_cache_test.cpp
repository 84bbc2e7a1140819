// SPDX-License-Identifier: Apache-2.0
#include "front/http/rate_cache.hpp"

#include <gtest/gtest.h>

namespace weir::front {
namespace {

TEST(RateCache, GivesWhatTheParserGives) {
  RateCache cache;
  for (int round = 0; round < 2; ++round) {
    for (const auto* text : {"10/s", "10/s burst 50", "5/15min sliding_log", "1/h fixed_window"}) {
      EXPECT_EQ(cache.parse(text).value(), Limit::parse(text).value()) << text;
    }
    for (const auto* text : {"", "fast", "10/sec", "1/s burst 2 fixed_window"}) {
      EXPECT_EQ(cache.parse(text).error(), Limit::parse(text).error()) << text;
    }
  }
}

TEST(RateCache, TextsThatShareAPlaceAreStillToldApart) {
  RateCache cache;
  for (int round = 0; round < 2; ++round) {
    for (int count = 1; count <= 1000; ++count) {  // far more than there are places
      const auto text = std::to_string(count) + "/h";
      EXPECT_EQ(cache.parse(text).value().count(), static_cast<std::uint64_t>(count));
    }
  }
}

TEST(RateCache, LongTextsAreReadToo) {
  RateCache cache;
  const auto text = "10/s" + std::string(100, ' ') + "burst 50";
  EXPECT_EQ(cache.parse(text).value().capacity(), 50u);
  EXPECT_EQ(cache.parse(text).value().capacity(), 50u);
}

}  // namespace
}  // namespace weir::front
