// SPDX-License-Identifier: Apache-2.0
// The table as a store: what it decides for one key, for several, and when it is full.
#include "store/table.hpp"

#include <gtest/gtest.h>

#include "store/table_fixture.hpp"

namespace weir::store {
namespace {

using namespace std::chrono_literals;

constexpr TableOptions small{.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 50};

class EveryAlgorithm : public testing::TestWithParam<Algorithm> {
 protected:
  CompiledLimit limit(std::uint64_t count, Duration period) const {
    return CompiledLimit(Limit(GetParam(), count, period));
  }
};

INSTANTIATE_TEST_SUITE_P(Table, EveryAlgorithm,
                         testing::Values(Algorithm::token_bucket, Algorithm::leaky_queue,
                                         Algorithm::fixed_window, Algorithm::sliding_log,
                                         Algorithm::sliding_counter),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST_P(EveryAlgorithm, KeysAreCountedApart) {
  Table table(small);
  const auto two = limit(2, 60s);
  const std::string expected =
      GetParam() == Algorithm::leaky_queue ? "AAAD" : "AAD";  // one starts, two wait
  for (std::uint64_t key = 0; key < 100; ++key) {
    EXPECT_EQ(verdicts(table, at(0s), two, key_of(key), int(expected.size())), expected);
  }
  EXPECT_EQ(verdicts(table, at(0s), two, key_of(7), 1), "D");
  EXPECT_EQ(table.stats(at(0s)).live_keys, 100u);
}

TEST_P(EveryAlgorithm, B91_ResetForgetsAKeyAndNoOther) {
  Table table(small);
  const auto one = limit(1, 60s);
  EXPECT_TRUE(ask(table, at(0s), one, key_of(1)).decision.allowed);
  EXPECT_TRUE(ask(table, at(0s), one, key_of(2)).decision.allowed);
  const auto fresh = ask(table, at(0s), one, key_of(3), 1, Verb::peek);
  table.reset(key_of(1), one);
  table.reset(key_of(99), one);
  EXPECT_EQ(ask(table, at(0s), one, key_of(1), 1, Verb::peek).decision, fresh.decision);
  EXPECT_NE(ask(table, at(0s), one, key_of(2), 1, Verb::peek).decision, fresh.decision);
  EXPECT_EQ(table.stats(at(0s)).live_keys, 1u);
}

}  // namespace
}  // namespace weir::store
