// SPDX-License-Identifier: Apache-2.0
#include "base/static_vector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

namespace weir {
namespace {

using testing::ElementsAre;

struct Pair {
  int left = 1;
  int right = 2;
  friend bool operator==(const Pair&, const Pair&) = default;
};

TEST(StaticVector, HoldsWhatWasAddedInOrder) {
  StaticVector<Pair, 3> pairs;
  EXPECT_EQ(pairs.size(), 0u);
  EXPECT_EQ(pairs.begin(), pairs.end());
  pairs.push_back({3, 4});
  pairs.emplace_back().right = 5;
  EXPECT_THAT(std::span(pairs.begin(), pairs.end()), ElementsAre(Pair{3, 4}, Pair{1, 5}));
  EXPECT_EQ(pairs[1], (Pair{1, 5}));
}

TEST(StaticVector, AFreshElementIsAsItsTypeSaysWhateverStoodThere) {
  StaticVector<Pair, 1> pairs;
  pairs.push_back({7, 8});
  pairs.shrink(0);
  EXPECT_EQ(pairs.size(), 0u);
  EXPECT_EQ(pairs.emplace_back(), Pair{});
}

TEST(StaticVector, ShrinksToItsFirstElements) {
  StaticVector<int, 4> numbers;
  for (const int number : {5, 6, 7, 8}) numbers.push_back(number);
  numbers.shrink(2);
  EXPECT_THAT(std::span(numbers.begin(), numbers.end()), ElementsAre(5, 6));
}

}  // namespace
}  // namespace weir
