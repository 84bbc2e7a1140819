// SPDX-License-Identifier: Apache-2.0
// The table when memory runs out: who goes, who stays, and what newcomers are told.
#include <gtest/gtest.h>

#include "store/slots.hpp"
#include "store/table_fixture.hpp"

namespace weir::store {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t least = TableOptions::least_memory_bytes;
constexpr std::uint64_t victim = 1'000'000'000;

/// Keys that all stand in the same two groups and differ in their fingerprint only.
Key colliding_key(std::uint64_t number) {
  return {.hi = 5, .lo = (std::uint64_t{9} << 54) | (number << 10)};
}

/// A flood of keys that are asked once each.
void flood(Table& table, Time now, const CompiledLimit& limit, std::uint64_t first,
           std::uint64_t count) {
  for (std::uint64_t key = first; key < first + count; ++key) {
    static_cast<void>(ask(table, now, limit, key_of(key)));
  }
}

class FullTable : public testing::TestWithParam<Algorithm> {
 protected:
  CompiledLimit limit(std::uint64_t count, Duration period) const {
    return CompiledLimit(Limit(GetParam(), count, period));
  }
};

INSTANTIATE_TEST_SUITE_P(Table, FullTable,
                         testing::Values(Algorithm::token_bucket, Algorithm::leaky_queue,
                                         Algorithm::fixed_window, Algorithm::sliding_log,
                                         Algorithm::sliding_counter),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST_P(FullTable, B09_AFloodDoesNotWashAKeyThatIsOverItsLimitClean) {
  Table table({.memory_bytes = least, .log_percent = 50});
  const auto three = limit(3, 60s);
  while (ask(table, at(1s), three, key_of(victim)).decision.allowed) {
  }
  for (int second = 1; second < 20; ++second) {
    flood(table, at(std::chrono::seconds(second)), three, 10'000 * std::uint64_t(second), 2000);
    EXPECT_FALSE(ask(table, at(std::chrono::seconds(second)), three, key_of(victim)).decision)
        << second;
  }
  EXPECT_GT(table.stats(at(20s)).live_evictions, 0u);
}

TEST_P(FullTable, B81_KeysThatOweNothingAreGoneWithoutASweep) {
  Table table({.memory_bytes = std::size_t{16} << 20, .log_percent = 50});
  const auto ten = limit(10, 1s);
  flood(table, at(0s), ten, 0, 40'000);
  EXPECT_GT(table.stats(at(0s), Table::Count::exact).live_keys, 39'000u);
  for (int second = 2; second < 12; ++second) {
    flood(table, at(std::chrono::seconds(second)), ten, 0, 10);
  }
  EXPECT_LE(table.stats(at(11s), Table::Count::exact).live_keys, 10u);
}

TEST_P(FullTable, PlacesOfIdleKeysAreReusedWithoutEvictingAnybody) {
  Table table({.memory_bytes = std::size_t{1} << 20, .log_percent = 50});
  const auto two = limit(2, 1s);
  for (int round = 0; round < 60; ++round) {
    flood(table, at(std::chrono::seconds(10 * round)), two, 10'000 * std::uint64_t(round), 1000);
  }
  const auto stats = table.stats(at(600s));
  EXPECT_GT(stats.expired_reuses, 10'000u);
  EXPECT_EQ(stats.live_evictions, 0u);
}

TEST_P(FullTable, DenyTellsNewcomersThatTheTableIsFullAndKeepsEverybody) {
  Table table({.memory_bytes = least, .when_full = WhenFull::deny, .log_percent = 50});
  const auto two = limit(2, 60s);
  std::vector<std::uint64_t> kept;
  Outcome refused;
  for (std::uint64_t key = 0; key < 10'000; ++key) {
    const auto outcome = ask(table, at(0s), two, key_of(key));
    if (outcome.status == Outcome::Status::decided) {
      EXPECT_TRUE(outcome.decision.allowed);
      kept.push_back(key);
    } else {
      refused = outcome;
    }
  }
  EXPECT_EQ(refused.status, Outcome::Status::table_full);
  EXPECT_FALSE(refused.decision.allowed);
  EXPECT_GT(refused.decision.retry_after, 0s);
  const auto stats = table.stats(at(0s), Table::Count::exact);
  EXPECT_EQ(stats.live_keys, kept.size());
  EXPECT_EQ(stats.full_refusals, 10'000 - kept.size());
  EXPECT_EQ(stats.live_evictions, 0u);
  // When they owe nothing any more, there is room.
  EXPECT_EQ(ask(table, at(300s), two, key_of(victim)).status, Outcome::Status::decided);
}

TEST_P(FullTable, ShareCountsNewcomersTogether) {
  Table table({.memory_bytes = least, .when_full = WhenFull::share, .log_percent = 50});
  const auto two = limit(2, 60s);
  std::uint64_t admitted = 0;
  for (std::uint64_t key = 0; key < 10'000; ++key) {
    admitted += ask(table, at(0s), two, key_of(key)).decision.allowed ? 1 : 0;
  }
  const auto stats = table.stats(at(0s), Table::Count::exact);
  const std::uint64_t own = stats.live_keys + stats.live_evictions - 1;  // one is the overflow key
  const std::uint64_t together = GetParam() == Algorithm::leaky_queue ? 3 : 2;  // one starts
  EXPECT_LT(own, 9'000u);
  EXPECT_EQ(stats.shared_newcomers, 10'000 - own);
  EXPECT_EQ(admitted, own + together);
  EXPECT_LE(stats.live_evictions, 2u);  // to make room for the overflow key, and for its log
}

TEST(FullTable, B61_KeysOfOneGroupAreKeptApart) {
  const Geometry geometry(Geometry::fewest_groups);
  ASSERT_EQ(geometry.locate(colliding_key(1), Shape::word).home,
            geometry.locate(colliding_key(1000), Shape::word).home);
  ASSERT_EQ(geometry.locate(colliding_key(1), Shape::word).away,
            geometry.locate(colliding_key(1000), Shape::word).away);
  Table table({.memory_bytes = least});
  const CompiledLimit two(token_bucket(2, 60s));
  // As many as the two groups hold, interleaved.
  for (const char* expected : {"A", "A", "D"}) {
    for (std::uint64_t key = 1; key <= 8; ++key) {
      EXPECT_EQ(verdicts(table, at(0s), two, colliding_key(key), 1), expected) << key;
    }
  }
  // Far more, one after another, with evictions.
  for (std::uint64_t key = 9; key <= 1000; ++key) {
    EXPECT_EQ(verdicts(table, at(0s), two, colliding_key(key), 3), "AAD") << key;
  }
  EXPECT_GT(table.stats(at(0s)).live_evictions, 990u);
}

TEST(FullTable, AVictimIsNeverAnotherKeyOfTheSameRequest) {
  Table table({.memory_bytes = least});
  const CompiledLimit two(token_bucket(2, 60s));
  std::vector<Op> eight;
  for (std::uint64_t key = 1; key <= 8; ++key) {
    eight.push_back({.key = colliding_key(key), .limit = &two});
  }
  flood(table, at(0s), two, 0, 20'000);
  for (const bool admits : {true, true, false}) {
    for (const auto& outcome : apply(table, at(0s), eight)) {
      EXPECT_EQ(outcome.decision.allowed, admits);
    }
  }
  // Nine have no room beside each other, whatever goes: nothing is charged.
  Table empty({.memory_bytes = least});
  auto nine = eight;
  nine.push_back({.key = colliding_key(9), .limit = &two});
  EXPECT_EQ(apply(empty, at(0s), nine)[8].status, Outcome::Status::table_full);
  EXPECT_EQ(empty.stats(at(0s), Table::Count::exact).live_keys, 0u);
}

TEST(FullTable, ADeniedNewcomerLeavesTheOtherKeysOfItsRequestUncharged) {
  Table table({.memory_bytes = least, .when_full = WhenFull::deny});
  const CompiledLimit two(token_bucket(2, 60s));
  const CompiledLimit log(sliding_log(2, 60s));
  ASSERT_TRUE(ask(table, at(0s), two, colliding_key(1)).decision.allowed);
  for (std::uint64_t key = 2; key <= 8; ++key) {
    ASSERT_TRUE(ask(table, at(0s), two, colliding_key(key)).decision.allowed);
  }
  const auto outcomes = apply(table, at(0s),
                              {{.key = colliding_key(1), .limit = &two},
                               {.key = key_of(1), .limit = &log},
                               {.key = colliding_key(9), .limit = &two}});
  EXPECT_EQ(outcomes[0].decision.remaining, 1u);
  EXPECT_EQ(outcomes[1].decision.remaining, 2u);
  EXPECT_EQ(outcomes[2].status, Outcome::Status::table_full);
  EXPECT_EQ(outcomes[2].decision.retry_after, 30s);  // when the first unit is paid off
  EXPECT_EQ(ask(table, at(0s), two, colliding_key(1), 1, Verb::peek).decision.remaining, 1u);
  EXPECT_EQ(ask(table, at(0s), log, key_of(1), 1, Verb::peek).decision.remaining, 2u);
}

TEST(FullTable, ALogWithoutMemoryForItsNextInstantRefusesAndNeverAdmitsTooMuch) {
  Table table({.memory_bytes = least, .when_full = WhenFull::deny, .log_percent = 1});
  const CompiledLimit many(sliding_log(1000, 60s));
  std::uint64_t admitted = 0;
  Outcome last;
  for (int ms = 0; ms < 2000; ++ms) {
    last = ask(table, at(std::chrono::milliseconds(ms)), many, key_of(1));
    admitted += last.decision.allowed ? 1 : 0;
  }
  EXPECT_LT(admitted, 100u);
  EXPECT_EQ(last.status, Outcome::Status::table_full);
  // A debit is kept all the same, at the price of counting the oldest units longer.
  const auto debit = ask(table, at(2s), many, key_of(1), 10, Verb::debit);
  EXPECT_EQ(debit.status, Outcome::Status::decided);
  EXPECT_EQ(debit.decision.remaining, 1000 - admitted - 10);
}

TEST(FullTable, LogsThatOweLeastGiveTheirMemoryToOthers) {
  Table table({.memory_bytes = least, .log_percent = 20});
  const CompiledLimit many(sliding_log(300, 60s));
  for (std::uint64_t key = 0; key < 500; ++key) {
    EXPECT_TRUE(ask(table, at(0s), many, key_of(key)).decision.allowed);
  }
  std::uint64_t admitted = 0;
  for (int ms = 1; ms <= 400; ++ms) {
    const auto outcome = ask(table, at(std::chrono::milliseconds(ms)), many, key_of(victim));
    admitted += outcome.decision.allowed ? 1 : 0;
  }
  EXPECT_EQ(admitted, 300u);
  EXPECT_GT(table.stats(at(1s)).live_evictions, 0u);
}

TEST(FullTable, AllOfTheMemoryServesWhicheverLimitsThereAre) {
  for (const auto& limit :
       {CompiledLimit(token_bucket(2, 60s)), CompiledLimit(fixed_window(2, 60s))}) {
    Table table({.memory_bytes = std::size_t{256} << 10});
    flood(table, at(0s), limit, 0, 40'000);
    const auto stats = table.stats(at(0s), Table::Count::exact);
    EXPECT_GT(stats.live_cells * 16, stats.memory_bytes * 9 / 10);
  }
}

TEST(FullTable, SettingsThatMakeNoTableAreRefused) {
  EXPECT_THROW(Table({.memory_bytes = least - 1}), std::invalid_argument);
  EXPECT_THROW(Table({.memory_bytes = std::size_t{257} << 30}), std::invalid_argument);
  EXPECT_THROW(Table({.log_percent = 0}), std::invalid_argument);
  EXPECT_THROW(Table({.log_percent = 91}), std::invalid_argument);
}

}  // namespace
}  // namespace weir::store
