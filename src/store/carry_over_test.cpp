// SPDX-License-Identifier: Apache-2.0
// A limit is edited while its counters are live.
#include <gtest/gtest.h>

#include "store/table_fixture.hpp"

namespace weir::store {
namespace {

using namespace std::chrono_literals;

constexpr TableOptions small{.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 50};

class CarryOverTest : public testing::Test {
 protected:
  /// Uses `used` units of `before`, then `before` becomes `after`.
  void edit(const CompiledLimit& before, std::uint64_t used, const CompiledLimit& after, Time now) {
    ASSERT_TRUE(ask(table, now, before, old_key, used).decision.allowed);
    move(before, after, now);
  }
  void move(const CompiledLimit& before, const CompiledLimit& after, Time now) {
    const std::array<CarryOver, 1> moves{
        {{.from = old_key, .before = &before, .to = new_key, .after = &after}}};
    table.carry_over(now, moves);
  }

  Table table{small};
  const Key old_key = key_of(1);
  const Key new_key = key_of(2);
};

TEST_F(CarryOverTest, B07_ALoweredCountKeepsWhatWasUsed) {
  const CompiledLimit hundred(fixed_window(100, 60s)), ten(fixed_window(10, 60s));
  edit(hundred, 1, ten, at(0s));
  const auto decision = ask(table, at(0s), ten, new_key).decision;
  EXPECT_EQ(decision.limit, 10u);
  EXPECT_EQ(decision.remaining, 8u);
}

TEST_F(CarryOverTest, B07_ARaisedCountLeavesTheNewRoomOnly) {
  const CompiledLimit five(fixed_window(5, 60s)), ten(fixed_window(10, 60s));
  edit(five, 5, ten, at(0s));
  EXPECT_EQ(ask(table, at(0s), ten, new_key, 1, Verb::peek).decision.remaining, 5u);
  EXPECT_EQ(ask(table, at(0s), ten, new_key, 3).decision.remaining, 2u);
}

TEST_F(CarryOverTest, B07_MoreUsedThanTheNewLimitRefusesUntilTheSameWindowEnds) {
  const CompiledLimit ten(fixed_window(10, 60s)), five(fixed_window(5, 60s));
  edit(ten, 8, five, at(20s));
  const auto decision = ask(table, at(20s), five, new_key).decision;
  EXPECT_FALSE(decision.allowed);
  EXPECT_EQ(decision.remaining, 0u);
  EXPECT_EQ(decision.reset_after, 40s);
}

TEST_F(CarryOverTest, B07_ARaisedBurstKeepsTheTokensThatWereLeft) {
  const CompiledLimit ten(token_bucket(1, 1s).with_burst(10));
  const CompiledLimit twenty(token_bucket(1, 1s).with_burst(20));
  edit(ten, 8, twenty, at(0s));
  EXPECT_EQ(ask(table, at(0s), twenty, new_key, 1, Verb::peek).decision.remaining, 2u);
}

TEST_F(CarryOverTest, TheOldKeyIsForgotten) {
  const CompiledLimit ten(fixed_window(10, 60s)), twenty(fixed_window(20, 60s));
  edit(ten, 8, twenty, at(0s));
  EXPECT_EQ(ask(table, at(0s), ten, old_key, 1, Verb::peek).decision.remaining, 10u);
}

TEST_F(CarryOverTest, NothingMovesOntoAKeyThatIsInUse) {
  const CompiledLimit ten(fixed_window(10, 60s)), twenty(fixed_window(20, 60s));
  ASSERT_TRUE(ask(table, at(0s), twenty, new_key, 1).decision.allowed);
  edit(ten, 8, twenty, at(0s));
  EXPECT_EQ(ask(table, at(0s), twenty, new_key, 1, Verb::peek).decision.remaining, 19u);
  EXPECT_EQ(ask(table, at(0s), ten, old_key, 1, Verb::peek).decision.remaining, 2u);
}

TEST_F(CarryOverTest, AnIdleOrUnknownKeyHasNothingToMove) {
  const CompiledLimit ten(fixed_window(10, 60s)), twenty(fixed_window(20, 60s));
  move(ten, twenty, at(0s));
  EXPECT_EQ(table.stats(at(0s)).live_keys, 0u);
  ASSERT_TRUE(ask(table, at(0s), ten, old_key, 8).decision.allowed);
  move(ten, twenty, at(61s));
  EXPECT_EQ(ask(table, at(61s), twenty, new_key, 1, Verb::peek).decision.remaining, 20u);
}

TEST_F(CarryOverTest, OntoAnIdleKeyTheUnitsReplaceWhatIsOver) {
  const CompiledLimit ten(token_bucket(10, 60s)), twenty(token_bucket(20, 60s));
  ASSERT_TRUE(ask(table, at(0s), twenty, new_key, 20).decision.allowed);
  edit(ten, 8, twenty, at(100s));
  EXPECT_EQ(ask(table, at(100s), twenty, new_key, 1, Verb::peek).decision.remaining, 12u);
}

TEST_F(CarryOverTest, ALogKeepsItsInstants) {
  const CompiledLimit ten(sliding_log(10, 60s)), five(sliding_log(5, 60s));
  for (int second = 0; second < 40; second += 10) {
    ASSERT_TRUE(ask(table, at(std::chrono::seconds(second)), ten, old_key, 1).decision.allowed);
  }
  move(ten, five, at(40s));
  EXPECT_EQ(ask(table, at(40s), five, new_key, 1, Verb::peek).decision.remaining, 1u);
  const auto decision = ask(table, at(40s), five, new_key, 3).decision;
  EXPECT_EQ(decision.retry_after, 30s);  // until the second instant has left
  EXPECT_EQ(ask(table, at(40s), ten, old_key, 1, Verb::peek).decision.remaining, 10u);
}

TEST_F(CarryOverTest, AnotherAlgorithmStartsWithTheSameUnitsUsed) {
  const std::array<CompiledLimit, 5> limits{
      CompiledLimit(token_bucket(10, 60s)), CompiledLimit(token_bucket(7, 60s)),
      CompiledLimit(fixed_window(10, 60s)), CompiledLimit(sliding_log(10, 60s)),
      CompiledLimit(sliding_counter(10, 60s))};
  for (const auto& before : limits) {
    for (const auto& after : limits) {
      if (&before == &after) continue;
      edit(before, 4, after, at(0s));
      const auto left = ask(table, at(0s), after, new_key, 1, Verb::peek).decision;
      EXPECT_EQ(left.remaining, left.capacity - 4);
      table.reset(new_key, after);
    }
  }
  EXPECT_EQ(table.stats(at(0s), Table::Count::exact).live_keys, 0u);
}

TEST_F(CarryOverTest, WhereThereIsNoRoomTheOldKeyStays) {
  Table full({.memory_bytes = TableOptions::least_memory_bytes,
              .when_full = WhenFull::deny,
              .log_percent = 1});
  const CompiledLimit window(fixed_window(10, 60s)), log(sliding_log(10, 60s));
  ASSERT_TRUE(ask(full, at(0s), window, old_key, 8).decision.allowed);
  for (std::uint64_t key = 10; key < 1000; ++key) {
    static_cast<void>(ask(full, at(0s), log, key_of(key)));
  }
  const std::array<CarryOver, 1> moves{
      {{.from = old_key, .before = &window, .to = new_key, .after = &log}}};
  full.carry_over(at(0s), moves);
  EXPECT_EQ(ask(full, at(0s), window, old_key, 1, Verb::peek).decision.remaining, 2u);
}

}  // namespace
}  // namespace weir::store
