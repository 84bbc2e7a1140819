// SPDX-License-Identifier: Apache-2.0
#include "redis/found.hpp"

#include <gtest/gtest.h>

#include "redis/deny_cache.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

bool reads(const Limit& limit, std::string_view text, Placed placed = Placed::alone) {
  Found found;
  return read_found(CompiledLimit(limit), placed, Time{100s}, text, found);
}

TEST(Found, StatesAreReadToTheLastByte) {
  EXPECT_TRUE(reads(token_bucket(1, 1s), "1790000000123456"));
  EXPECT_TRUE(reads(token_bucket(3, 1s), "1790000000123456002"));
  EXPECT_TRUE(reads(token_bucket(1009, 1s), "1790000000123456:1008"));
  EXPECT_TRUE(reads(fixed_window(3, 1s), "\0\0\0\3"sv));
  EXPECT_TRUE(reads(fixed_window(3, 1s), "\0\0\0\0\0\0\0\0\0\0\0\1"sv));
  EXPECT_TRUE(reads(fixed_window(3, 1s), "1790000000:3", Placed::packed));
  EXPECT_TRUE(reads(sliding_counter(3, 1s), "1790000000:3:2"));
  EXPECT_TRUE(reads(sliding_log(3, 1s), "3:999:0"));
}

TEST(Found, WhatIsNoStateIsNotRead) {
  for (const std::string_view text :
       {"", ":", "1:", ":1", "-1", "1.5", "1e5", " 1", "1 ", "0x1", "nan", "9007199254740992",
        "1:2:3:4", "99999999999999999999"}) {
    EXPECT_FALSE(reads(token_bucket(1, 1s), text)) << text;
    EXPECT_FALSE(reads(token_bucket(1009, 1s), text)) << text;
    EXPECT_FALSE(reads(fixed_window(3, 1s), text, Placed::packed)) << text;
    EXPECT_FALSE(reads(sliding_counter(3, 1s), text)) << text;
    EXPECT_FALSE(reads(sliding_log(3, 1s), text)) << text;
  }
  EXPECT_FALSE(reads(token_bucket(1, 1s), "1:0"));
  for (const std::string_view text : {"1", "002", "1003", "1:2", "1:002", "1 02", "1-02", "x002"}) {
    EXPECT_FALSE(reads(token_bucket(3, 1s), text)) << text;
  }
  EXPECT_FALSE(reads(token_bucket(1009, 1s), "1:1009"));
  EXPECT_FALSE(reads(fixed_window(3, 1s), "\0\0\0\4"sv)) << "more left than there is";
  EXPECT_FALSE(reads(fixed_window(3, 1s), "\0\0\0"sv));
  EXPECT_FALSE(reads(sliding_counter(3, 1s), "1:4398046511104:0"));
}

TEST(Found, WaitsAreRoundedUpToTheMicrosecond) {
  const CompiledLimit limit(token_bucket(3, 1s).with_burst(1));
  const Decision taken = answer(limit, Verb::acquire, 1, Time{100s}, {});
  EXPECT_EQ(taken.reset_after, 333'334us);
  EXPECT_EQ(taken.authority, Authority::shared);
  const CompiledLimit never_again(token_bucket(0, 1s).with_burst(1));
  EXPECT_EQ(answer(never_again, Verb::peek, 2, Time{}, {}).retry_after, never);
}

TEST(Found, TheUnitsUsedAreThoseOfTheStep) {
  Found found;
  const CompiledLimit bucket(token_bucket(10, 1s)), log(sliding_log(10, 1s));
  ASSERT_TRUE(read_found(bucket, Placed::alone, Time{100s}, "100350000", found));
  EXPECT_EQ(used_units(bucket, Time{100s}, found), 4u);
  ASSERT_TRUE(read_found(log, Placed::alone, Time{100s}, "7:1:1", found));
  EXPECT_EQ(used_units(log, Time{100s}, found), 7u);
}

TEST(DenyCache, KnowsAStateForItsTimeAndUntilUnitsAreGivenBack) {
  DenyCache cache(1s);
  const Key key{.hi = 1, .lo = 2};
  EXPECT_EQ(cache.find(key, Time{5s}, 0), nullptr);
  cache.put({.key = key, .found = {}, .seen = Time{5s}, .cost = 3, .epoch = 7});
  ASSERT_NE(cache.find(key, Time{5s}, 7), nullptr);
  EXPECT_NE(cache.find(key, Time{5999ms}, 7), nullptr);
  EXPECT_EQ(cache.find(key, Time{6s}, 7), nullptr);
  EXPECT_EQ(cache.find(key, Time{4999ms}, 7), nullptr) << "time went back";
  EXPECT_EQ(cache.find(key, Time{5s}, 8), nullptr) << "units were given back";
  EXPECT_EQ(cache.find({.hi = 2, .lo = 2}, Time{5s}, 7), nullptr) << "a key of the same place";
}

TEST(DenyCache, CanBeOff) {
  DenyCache cache(0s);
  cache.put({.key = {}, .found = {}, .seen = Time{5s}});
  EXPECT_EQ(cache.find({}, Time{5s}, 0), nullptr);
}

}  // namespace
}  // namespace weir::redis
