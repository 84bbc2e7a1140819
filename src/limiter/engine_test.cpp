// SPDX-License-Identifier: Apache-2.0
#include "limiter/engine.hpp"

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

constexpr auto by_user = R"(
  - {name: user, key: "header:x-user", missing: skip, limits: [5/min fixed_window]})";
constexpr auto by_site = R"(
  - {name: site, limits: [10/min fixed_window]})";

class B01 : public EngineTest, public testing::WithParamInterface<bool> {};

TEST_P(B01, WhereOneLimitRefusesNoneIsCharged) {
  load(std::string("rules:") + (GetParam() ? by_user : by_site) + (GetParam() ? by_site : by_user));
  EXPECT_EQ(ask_often(8, "u1"), "AAAAADDD");
  now += 1s;
  EXPECT_EQ(ask_often(5, "u2"), "AAAAA");
  const auto verdict = ask("u3");
  EXPECT_EQ(verdict.status, Status::refused);
  EXPECT_EQ(verdict.limit->rule, "site");
  EXPECT_EQ(ask("u1", 1, Verb::peek).decision.remaining, 0u);
}

INSTANTIATE_TEST_SUITE_P(BothOrders, B01, testing::Bool());

TEST_F(EngineTest, B01_OneLimitTwiceIsTheSumOfItsCosts) {
  load("limits: {a: 5/min fixed_window}");
  const std::string_view key[] = {"k"};
  const auto both = [&](std::uint64_t one, std::uint64_t other) {
    batch->clear(now);
    const auto index = batch->begin_all(Verb::acquire);
    batch->add_named(*batch->rules().named_limit("a"), key, one, Verb::acquire);
    batch->add_named(*batch->rules().named_limit("a"), key, other, Verb::acquire);
    batch->end_all();
    batch->decide();
    return batch->verdict(index);
  };
  EXPECT_EQ(both(2, 4).status, Status::refused);
  const auto verdict = both(2, 2);
  EXPECT_EQ(verdict.status, Status::allowed);
  EXPECT_EQ(verdict.decision.remaining, 1u);
  EXPECT_EQ(verdict.hits.size(), 2u);
  EXPECT_EQ(both(1, 1).status, Status::refused);
  EXPECT_EQ(both(0, ~std::uint64_t{0}).decision.retry_after, never);
  EXPECT_EQ(both(1, ~std::uint64_t{0}).decision.retry_after, never);
}

TEST_F(EngineTest, B05_AllNumbersComeFromTheLimitThatDecides) {
  load("rules: [{name: r, limits: [60/min fixed_window, 2/h fixed_window]}]");
  ask_often(2, "u");
  const auto verdict = ask("u");
  EXPECT_EQ(verdict.limit->name, "2/h fixed_window");
  EXPECT_EQ(verdict.decision.limit, 2u);
  EXPECT_EQ(verdict.decision.remaining, 0u);
  EXPECT_EQ(verdict.decision.retry_after, 1h);
  EXPECT_EQ(verdict.decision.reset_after, 1h);
  EXPECT_EQ(verdict.hits[0].outcome.decision.remaining, 58u);
}

TEST_F(EngineTest, AShadowRulePaysOnlyWhereTheEnforcedOnesAdmitAndNeverDecides) {
  load(R"(
rules:
  - {name: tight, limits: [1/min fixed_window], shadow: true}
  - {name: real, limits: [3/min fixed_window]})");
  EXPECT_EQ(ask_often(4, "u"), "AAAD");
  const auto verdict = ask("u");
  ASSERT_EQ(verdict.hits.size(), 2u);
  EXPECT_EQ(verdict.limit->rule, "real");
  EXPECT_EQ(verdict.hits[1].limit->rule, "tight");
  EXPECT_FALSE(verdict.hits[1].outcome.decision.allowed);
  for (const auto& count : engine->decision_counts()) {
    if (count.rule == "tight") {
      EXPECT_TRUE(count.shadow);
      EXPECT_EQ(count.allowed, 1u);
      EXPECT_EQ(count.refused, 4u);
    }
  }
}

TEST_F(EngineTest, AShadowRuleAloneLetsEverythingPass) {
  load("rules: [{name: s, limits: [1/min], shadow: true}]");
  EXPECT_EQ(ask_often(3, "u"), "AAA");
  EXPECT_EQ(ask("u").limit, nullptr);
}

TEST_F(EngineTest, ExemptRequestsCountNothingAndForbiddenOnesAreTold) {
  load(R"(
rules:
  - {name: mine, key: "header:x-other", missing: deny, limits: [1/min]})");
  const auto verdict = ask("u");
  EXPECT_EQ(verdict.status, Status::forbidden);
  EXPECT_FALSE(verdict.decision.allowed);
  EXPECT_EQ(*verdict.rule, "mine");
  EXPECT_EQ(engine->forbidden_count(), 1u);

  load("rules: [{name: free, exempt: true}, {name: r, limits: [1/min]}]");
  EXPECT_EQ(ask_often(3, "u"), "AAA");
  EXPECT_EQ(engine->exempt_count(), 3u);
}

TEST_F(EngineTest, B86_OneRequestIsCountedOnceByEveryRule) {
  load(R"(
rules:
  - name: user
    key: "header:x-user"
    missing: skip
    limits: [5/min fixed_window, 50/day fixed_window])");
  EXPECT_EQ(ask_often(6, "u"), "AAAAAD");
  const auto verdict = ask("u", 1, Verb::peek);
  EXPECT_EQ(verdict.hits[1].outcome.decision.remaining, 45u);
}

TEST_F(EngineTest, B110_DecisionsAreCountedByRuleAndOutcome) {
  load(R"(
rules:
  - {name: r1, key: "header:x-user", missing: skip, limits: [7/min fixed_window]}
  - {name: r2, limits: [8/min fixed_window]})");
  ask_often(20, "u");
  std::map<std::string, DecisionCount> by_rule;
  for (const auto& count : engine->decision_counts()) by_rule[count.rule] = count;
  EXPECT_EQ(by_rule["r1"].allowed, 7u);
  EXPECT_EQ(by_rule["r1"].refused, 13u);
  EXPECT_EQ(by_rule["r2"].allowed + by_rule["r2"].refused, 20u);
  EXPECT_EQ(by_rule["r2"].refused, 0u);
}

TEST_F(EngineTest, DebitAndRefundReachEveryLimitOfTheRequest) {
  load("rules: [{name: r, limits: [10/min, 100/h]}]");
  ask("u", 15, Verb::debit);
  EXPECT_EQ(ask("u", 0).status, Status::refused);
  ask("u", 5, Verb::refund);
  EXPECT_EQ(ask("u", 0).status, Status::allowed);
  EXPECT_EQ(ask("u", 1, Verb::peek).hits[1].outcome.decision.remaining, 90u);
}

TEST_F(EngineTest, AChargeIsGivenBackToTheCountersThatTookIt) {
  load(R"(
rules:
  - {name: queue, limits: [1/s burst 2 leaky_queue, 100/h]}
  - {name: small, limits: [1/h], shadow: true}
  - {name: large, limits: [10/h], shadow: true})");
  ask("u");
  const rules::Request request{.method = "GET",
                               .host = {},
                               .target = "/",
                               .headers = {},
                               .entries = {},
                               .client = {},
                               .peer = {},
                               .cost = {}};
  batch->clear(now);
  const auto index = batch->add_request(request, Verb::acquire);
  batch->decide();
  EXPECT_EQ(batch->verdict(index).delay, 1s);
  const Charge charge = batch->charge(index);
  EXPECT_FALSE(charge.empty());
  batch->clear(now);
  batch->add_refund(charge);
  batch->decide();

  const auto hits = ask("u", 0, Verb::peek).hits;
  ASSERT_EQ(hits.size(), 4u);
  EXPECT_EQ(hits[0].outcome.decision.remaining, 2u);
  EXPECT_EQ(hits[1].outcome.decision.remaining, 99u);
  EXPECT_EQ(hits[2].outcome.decision.remaining, 0u);  // it had refused the second, and took nothing
  EXPECT_EQ(hits[3].outcome.decision.remaining, 9u);
}

TEST_F(EngineTest, WhatWasNotTakenHasNoCharge) {
  load("rules: [{name: r, limits: [1/h]}]");
  for (const auto verb : {Verb::peek, Verb::acquire, Verb::acquire, Verb::debit}) {
    batch->clear(now);
    const auto index = batch->add_request({}, verb);
    batch->decide();
    const bool taken = verb == Verb::acquire && batch->verdict(index).decision.allowed;
    EXPECT_EQ(batch->charge(index).empty(), !taken);
  }
}

TEST_F(EngineTest, LimitsThatComeWithTheAskAreToldApartByTheirNumbers) {
  load("memory: 1MiB");
  const std::string_view key[] = {"k"};
  const auto ask_limit = [&](const Limit& limit) {
    batch->clear(now);
    const auto index = batch->add_limit(limit, key, 1, Verb::acquire);
    batch->decide();
    return batch->verdict(index).decision.remaining;
  };
  EXPECT_EQ(ask_limit(token_bucket(3, 1min)), 2u);
  EXPECT_EQ(ask_limit(token_bucket(3, 1min)), 1u);
  EXPECT_EQ(ask_limit(token_bucket(3, 1h)), 2u);
  EXPECT_EQ(ask_limit(token_bucket(3, 1min).with_burst(4)), 3u);
  EXPECT_EQ(ask_limit(fixed_window(3, 1min)), 2u);
}

TEST_F(EngineTest, AThrottleIsCountedByItsKeyWhateverNumbersCome) {
  load("memory: 1MiB");
  const auto throttle = [&](const Limit& limit) {
    batch->clear(now);
    const auto index = batch->add_throttle(limit, "k", 2, Verb::acquire);
    batch->decide();
    return batch->verdict(index).decision.remaining;
  };
  EXPECT_EQ(throttle(token_bucket(10, 10s)), 8u);
  EXPECT_EQ(throttle(token_bucket(10, 10s).with_burst(20)), 16u);
}

TEST_F(EngineTest, ABatchDecidesManyAsksInOrder) {
  load("memory: 1MiB");
  const std::string_view key[] = {"k"};
  const auto limit = fixed_window(100, 1min);
  batch->clear(now);
  std::vector<Batch::Index> indexes;
  for (int i = 0; i < 150; ++i) {
    indexes.push_back(batch->add_limit(limit, key, 1, Verb::acquire));
  }
  batch->decide();
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    const auto& verdict = batch->verdict(indexes[i]);
    EXPECT_EQ(verdict.decision.allowed, i < 100) << i;
    EXPECT_EQ(verdict.decision.remaining, i < 100 ? 99 - i : 0) << i;
  }
}

TEST_F(EngineTest, AnAskThatMeetsTooManyLimitsIsUnavailableNotUnlimited) {
  load("memory: 1MiB");
  batch->clear(now);
  const auto index = batch->begin_all(Verb::acquire);
  for (std::uint64_t i = 0; i <= most_ops_of_request; ++i) {
    batch->add_limit(token_bucket(10 + i, 1min), {}, 1, Verb::acquire);
  }
  batch->end_all();
  batch->decide();
  EXPECT_EQ(batch->verdict(index).status, Status::unavailable);
}

TEST_F(EngineTest, B15_ThreadsTogetherNeverAdmitOneUnitMore) {
  load("rules: [{name: r, limits: [500/h, 1000/day sliding_log, 700/h sliding_counter]}]");
  std::atomic<int> admitted{0};
  std::vector<std::thread> askers;
  for (int i = 0; i < 4; ++i) {
    askers.emplace_back([&] {
      Batch own(*engine);
      for (int round = 0; round < 300; ++round) {
        own.clear(now);
        const auto index = own.add_request({}, Verb::acquire);
        own.decide();
        if (own.verdict(index).decision.allowed) ++admitted;
      }
    });
  }
  for (auto& asker : askers) asker.join();
  EXPECT_EQ(admitted, 500);
}

}  // namespace
}  // namespace weir::limiter
