// SPDX-License-Identifier: Apache-2.0
// Rules that are replaced while counters live.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "limiter/engine_test_support.hpp"

namespace weir::limiter {
namespace {

using namespace std::chrono_literals;

std::string one_rule(const std::string& limit) {
  return "rules: [{name: r, key: 'header:x-user', missing: skip, limits: {default: [l]}}]\n"
         "plans: {by: 'header:x-plan', default: default}\nlimits: {l: " +
         limit + "}\n";
}

TEST_F(EngineTest, B07_AChangedLimitKeepsTheUnitsUsed) {
  load(one_rule("100/min fixed_window"));
  ask("a");
  load(one_rule("10/min fixed_window"));
  const auto verdict = ask("a");
  EXPECT_EQ(verdict.decision.limit, 10u);
  EXPECT_EQ(verdict.decision.remaining, 8u);
}

TEST_F(EngineTest, B07_ARaisedLimitGivesWhatItAdds) {
  load(one_rule("5/min fixed_window"));
  ask_often(5, "b");
  load(one_rule("10/min fixed_window"));
  EXPECT_EQ(ask("b", 1, Verb::peek).decision.remaining, 5u);
  EXPECT_EQ(ask_often(3, "b"), "AAA");
  EXPECT_EQ(ask("b", 1, Verb::peek).decision.remaining, 2u);
}

TEST_F(EngineTest, B07_ALoweredLimitRefusesUntilTheSameWindowEnds) {
  load(one_rule("10/min fixed_window"));
  ask_often(8, "c");
  now += 20s;
  load(one_rule("5/min fixed_window"));
  const auto verdict = ask("c");
  EXPECT_EQ(verdict.status, Status::refused);
  EXPECT_EQ(verdict.decision.limit, 5u);
  EXPECT_EQ(verdict.decision.remaining, 0u);
  EXPECT_EQ(verdict.decision.reset_after, 40s);
}

TEST_F(EngineTest, B07_ARaisedBurstIsEmptyRoom) {
  load(one_rule("1/s burst 10"));
  ask("d", 8);
  load(one_rule("1/s burst 20"));
  EXPECT_EQ(ask("d", 5).status, Status::refused);
  EXPECT_EQ(ask("d", 2).status, Status::allowed);
}

TEST_F(EngineTest, B07_TheSameFileChangesNothing) {
  load(one_rule("3/min"));
  EXPECT_EQ(ask_often(4, "e"), "AAAD");
  load(one_rule("3/min"));
  EXPECT_EQ(ask_often(1, "e"), "D");
}

TEST_F(EngineTest, AKeyThatRestsThroughSeveralChangesIsStillFound) {
  load(one_rule("10/min fixed_window"));
  ask("f", 4);
  load(one_rule("20/min fixed_window"));
  load(one_rule("30/min fixed_window"));
  EXPECT_EQ(ask("f", 1, Verb::peek).decision.remaining, 26u);
  load(one_rule("10/min fixed_window"));
  EXPECT_EQ(ask("f", 1, Verb::peek).decision.remaining, 6u);
}

TEST_F(EngineTest, B51_AShortenedPeriodStartsItsOwnWindow) {
  load(one_rule("10/min fixed_window"));
  ask("g");
  now += 30s;
  load(one_rule("10/s fixed_window"));
  EXPECT_EQ(ask("g").status, Status::allowed);
  load(one_rule("10/min fixed_window"));
  EXPECT_EQ(ask("g").status, Status::allowed);
}

TEST_F(EngineTest, ARenamedRuleStartsAfresh) {
  load("rules: [{name: old, limits: [1/min]}]");
  EXPECT_EQ(ask_often(2, "u"), "AD");
  load("rules: [{name: new, limits: [1/min]}]");
  EXPECT_EQ(ask_often(2, "u"), "AD");
}

TEST_F(EngineTest, CountsOutliveTheBatchAndTheRules) {
  load("rules: [{name: r, limits: [10/min]}]");
  ask_often(3, "u");
  load("rules: [{name: other, limits: [10/min]}]");
  ask_often(2, "u");
  batch.reset();
  std::map<std::string, std::uint64_t> allowed;
  for (const auto& count : engine->decision_counts()) allowed[count.rule] += count.allowed;
  EXPECT_EQ(allowed["r"], 3u);
  EXPECT_EQ(allowed["other"], 2u);
}

TEST_F(EngineTest, B103_EveryAskSeesOneWholeRuleSetWhileRulesAreReplaced) {
  // Both rule sets admit 1000 and 2000 units; a mixture would pair a rule with the other's limit.
  const auto small = rules_of("rules: [{name: a, limits: [1000/h]}, {name: b, limits: [1000/h]}]");
  const auto large = rules_of("rules: [{name: a, limits: [2000/h]}, {name: b, limits: [2000/h]}]");
  engine = std::make_unique<Engine>(small, table, KeySecret{1, 2});
  std::atomic<bool> stop{false};
  std::atomic<int> mixtures{0};
  std::vector<std::thread> askers;
  for (int i = 0; i < 2; ++i) {
    askers.emplace_back([&] {
      Batch own(*engine);
      while (!stop.load(std::memory_order_relaxed)) {
        own.clear(now);
        const auto index = own.add_request({}, Verb::peek);
        own.decide();
        const auto hits = own.verdict(index).hits;
        if (hits.size() != 2 || hits[0].limit->limit.limit != hits[1].limit->limit.limit)
          ++mixtures;
      }
    });
  }
  for (int i = 0; i < 500; ++i) {
    engine->replace_rules(i % 2 == 0 ? large : small);
    (void)engine->decision_counts();
  }
  stop = true;
  for (auto& asker : askers) asker.join();
  EXPECT_EQ(mixtures, 0);
}

}  // namespace
}  // namespace weir::limiter
