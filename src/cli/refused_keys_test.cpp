// SPDX-License-Identifier: Apache-2.0
#include "cli/refused_keys.hpp"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

TEST(RefusedKeys, TheMostRefusedComeFirstAndOfEqualsTheEarliest) {
  RefusedKeys keys;
  std::size_t request = 0;
  for (const std::uint64_t key : {7u, 5u, 9u, 5u, 9u, 5u, 1u}) keys.count({key, key}, request++);
  const auto top = keys.top(3);
  ASSERT_EQ(top.size(), 3u);
  EXPECT_EQ(top[0].count, 3u);
  EXPECT_EQ(top[0].example, 1u);
  EXPECT_EQ(top[1].count, 2u);
  EXPECT_EQ(top[1].example, 2u);
  EXPECT_EQ(top[2].count, 1u);
  EXPECT_EQ(top[2].example, 0u) << "7 came before 1";
  EXPECT_EQ(keys.top(100).size(), 4u);
  EXPECT_TRUE(keys.top(0).empty());
}

TEST(RefusedKeys, KeysThatShareHalfTheirBitsAreTwo) {
  RefusedKeys keys;
  keys.count({1, 7}, 0);
  keys.count({2, 7}, 1);
  EXPECT_EQ(keys.size(), 2u);
}

TEST(RefusedKeys, ABoundedNumberOfKeysIsToldApart) {
  RefusedKeys keys;
  for (std::uint64_t key = 0; key < RefusedKeys::most_keys + 10; ++key) keys.count({key, key}, key);
  keys.count({3, 3}, 0);
  EXPECT_EQ(keys.size(), RefusedKeys::most_keys);
  EXPECT_EQ(keys.others(), 10u);
  EXPECT_EQ(keys.top(1)[0].count, 2u);
}

}  // namespace
}  // namespace weir::cli
