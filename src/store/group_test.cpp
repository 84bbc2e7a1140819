// SPDX-License-Identifier: Apache-2.0
// One line of the table: what stands in it, and in what order it would go.
#include "store/group.hpp"

#include <gtest/gtest.h>

namespace weir::store {
namespace {

constexpr Tag word_tag = 0x100;
constexpr Tag pair_tag = 0x200 | pair_flag;

class GroupTest : public testing::Test {
 protected:
  void SetUp() override { group.lock(); }
  void TearDown() override { group.unlock(); }
  Group group{};
};

TEST_F(GroupTest, WordsStandInAnyCell) {
  for (unsigned cell = 0; cell < Group::cells; ++cell) {
    group.put_word(cell, word_tag + 0x10 * cell, cell + 1);
  }
  for (unsigned cell = 0; cell < Group::cells; ++cell) {
    EXPECT_EQ(group.find(word_tag + 0x10 * cell), cell);
    EXPECT_EQ(group.peek_word(cell, word_tag + 0x10 * cell), cell + 1);
  }
  EXPECT_EQ(group.find(word_tag + 0x40), Group::nowhere);
}

TEST_F(GroupTest, PairsTakeTwoCells) {
  const WideState state{.lo = 5, .hi = ~std::uint64_t{0}};
  group.put_pair(2, pair_tag, 7, state);
  EXPECT_EQ(group.find(pair_tag), 2u);
  EXPECT_EQ(group.wide(2), state);
  EXPECT_EQ(group.value(2), 7);
  EXPECT_TRUE(group.is_tail(3));
  EXPECT_FALSE(group.is_tail(1));
}

TEST_F(GroupTest, AStateThatLooksLikeATagIsNotFound) {
  group.put_pair(0, pair_tag, 7, {.lo = pair_tag + 0x10, .hi = 0});
  EXPECT_EQ(group.find(pair_tag + 0x10), Group::nowhere);
}

TEST_F(GroupTest, AnErasedPairLeavesTwoEmptyCells) {
  group.put_pair(0, pair_tag, 7, {.lo = word_tag, .hi = 1});
  group.erase(0);
  EXPECT_EQ(group.tag(0), 0u);
  EXPECT_EQ(group.tag(1), 0u);
  EXPECT_FALSE(group.is_tail(1));
}

TEST_F(GroupTest, AWordThatHasGoneIsNotRead) {
  group.put_word(1, word_tag, 5);
  group.put_word(1, word_tag + 0x10, 6);
  EXPECT_EQ(group.peek_word(1, word_tag), std::nullopt);
}

TEST(Group, TheLockIsNoPartOfATag) {
  Group group{};
  group.lock();
  group.put_word(0, word_tag, 1);
  EXPECT_FALSE(group.try_lock());
  EXPECT_EQ(group.tag(0), word_tag);
  EXPECT_EQ(group.peek_word(0, word_tag), 1);
  group.unlock();
  EXPECT_EQ(group.tag(0), word_tag);
  EXPECT_TRUE(group.try_lock());
  group.unlock();
}

}  // namespace
}  // namespace weir::store
