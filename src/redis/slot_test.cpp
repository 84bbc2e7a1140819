// SPDX-License-Identifier: Apache-2.0
#include "redis/slot.hpp"

#include <gtest/gtest.h>

namespace weir::redis {
namespace {

// The figures are the answers of CLUSTER KEYSLOT.
TEST(Slot, IsTheClusters) {
  EXPECT_EQ(slot_of("123456789"), 0x31C3);
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("bar"), 5061);
  EXPECT_EQ(slot_of(""), 0);
}

TEST(Slot, B34_OnlyWhatStandsInBracesCounts) {
  EXPECT_EQ(slot_of("{user1000}.following"), slot_of("{user1000}.followers"));
  EXPECT_EQ(slot_of("w:{foo}bar"), slot_of("foo"));
  EXPECT_EQ(slot_of("foo{bar}{zap}"), slot_of("bar"));
  EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
}

TEST(Slot, B34_BracesWithNothingInThemAreLikeAnyBytes) {
  EXPECT_NE(slot_of("foo{}{bar}"), slot_of("bar"));
  EXPECT_NE(slot_of("{}a"), slot_of("{}b"));
  EXPECT_NE(slot_of("}{a"), slot_of("a"));
  EXPECT_NE(slot_of("{a"), slot_of("a"));
}

TEST(Slot, KeysMayBeAnyBytes) {
  const std::string_view key("w:{\xff\x00\r\n\x80}\x01", 9);
  EXPECT_EQ(slot_of(key), slot_of(key.substr(3, 5)));
}

}  // namespace
}  // namespace weir::redis
