// SPDX-License-Identifier: Apache-2.0
#include "limiter/routed_store.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "limiter/shared_store_double.hpp"
#include "store/table_fixture.hpp"

namespace weir::limiter {
namespace {

using namespace std::chrono_literals;
using Status = Outcome::Status;

constexpr Key subject_of(std::uint64_t number) { return {.hi = number * 77, .lo = number}; }

class RoutedStoreTest : public testing::Test {
 protected:
  /// An op on counter `number`: of this process, or of site `site` (0 or 1).
  Op op(std::uint64_t number, int site = -1, OnStoreFailure on_failure = OnStoreFailure::deny) {
    Op result{.key = store::key_of(number),
              .subject = subject_of(number),
              .limit = &three,
              .shared = nullptr};
    if (site < 0) return result;
    terms.push_back(
        std::make_unique<SharedTerms>(SharedTerms{.store = static_cast<std::uint16_t>(site),
                                                  .on_failure = on_failure,
                                                  .share = CompiledLimit(fixed_window(1, 1h)),
                                                  .pack = {},
                                                  .longest_state = 1h}));
    result.shared = terms.back().get();
    return result;
  }

  std::vector<Outcome> apply(std::vector<Op> ops) {
    std::vector<Outcome> outcomes(ops.size());
    StoreBatch batch;
    batch.now = now;
    batch.ops = ops;
    batch.outcomes = outcomes;
    EXPECT_EQ(router.apply(batch), Store::Applied::now);
    return outcomes;
  }

  /// What is left of a counter, wherever it stands.
  std::uint64_t left(Op asked) {
    asked.verb = Verb::peek;
    return apply({asked})[0].decision.remaining;
  }

  /// `A`, `D`, `U` (unavailable) or `L` (let through) for each op.
  std::string letters(std::vector<Op> ops) {
    std::string text;
    for (const auto& outcome : apply(std::move(ops))) {
      switch (outcome.status) {
        case Status::decided: text += outcome.decision.allowed ? 'A' : 'D'; break;
        case Status::let_through: text += 'L'; break;
        default: text += 'U';
      }
    }
    return text;
  }

  void spend(const Op& asked) {
    Op all = asked;
    all.cost = 3;
    ASSERT_EQ(letters({all}), "A");
  }

  Time now{std::chrono::hours{500'000}};
  const CompiledLimit three{fixed_window(3, 1h)};
  std::vector<std::unique_ptr<SharedTerms>> terms;
  store::Table table{{.memory_bytes = std::size_t{1} << 20}};
  SharedStoreDouble near, far;
  std::vector<bool> changes;
  RoutedStore router{table,
                     {{.store = &near, .on_change = [this](bool out) { changes.push_back(out); }},
                      {.store = &far, .on_change = {}}}};
};

TEST_F(RoutedStoreTest, AsksNoSharedStoreAboutCountersOfThisProcess) {
  EXPECT_EQ(letters({op(1), op(2)}), "AA");
  EXPECT_TRUE(near.asked.empty());
  EXPECT_EQ(left(op(1)), 2u);
}

TEST_F(RoutedStoreTest, ARequestInOnePlaceIsOneQuestion) {
  const Op shadow = [&] {
    Op result = op(2, 0);
    result.part = 1;
    return result;
  }();
  EXPECT_EQ(letters({op(1, 0), op(3, 0), shadow}), "AAA");
  EXPECT_EQ(near.asked, std::vector<std::string>{"aaa"});
  EXPECT_EQ(apply({op(1, 0)})[0].decision.authority, Authority::shared);
}

TEST_F(RoutedStoreTest, SeveralRequestsOfABatchGoTogether) {
  Op second = op(2, 0);
  second.request = 1;
  Op third = op(3);
  third.request = 2;
  EXPECT_EQ(letters({op(1, 0), second, third}), "AAA");
  EXPECT_EQ(near.asked, std::vector<std::string>{"a a"});
}

TEST_F(RoutedStoreTest, B01_WhereOnePlaceRefusesAllOthersGetBackWhatTheyGave) {
  near.places = 8;
  spend(op(2, 0));
  near.asked.clear();
  const auto outcomes = apply({op(1, 0), op(2, 0), op(3, 1), op(4)});
  EXPECT_TRUE(outcomes[0].decision.allowed);
  EXPECT_FALSE(outcomes[1].decision.allowed);
  EXPECT_TRUE(outcomes[2].decision.allowed);
  EXPECT_TRUE(outcomes[3].decision.allowed);
  for (const std::size_t at : {0, 2, 3}) EXPECT_EQ(outcomes[at].decision.remaining, 3u) << at;
  EXPECT_EQ(near.asked, (std::vector<std::string>{"a a", "r"}));
  for (const auto& counter : {op(1, 0), op(3, 1), op(4)}) EXPECT_EQ(left(counter), 3u);
}

TEST_F(RoutedStoreTest, B01_WhereThisProcessRefusesTheSharedStoresGetBack) {
  spend(op(4));
  EXPECT_EQ(letters({op(1, 0), op(3, 1), op(4)}), "AAD");
  for (const auto& counter : {op(1, 0), op(3, 1)}) EXPECT_EQ(left(counter), 3u);
}

TEST_F(RoutedStoreTest, ShadowPartsInOtherPlacesPayOnlyWhereTheRequestIsAdmitted) {
  Op shadow = op(9, 1);
  shadow.part = 1;
  EXPECT_EQ(letters({op(1, 0), shadow}), "AA");
  EXPECT_EQ(left(op(9, 1)), 2u);
  spend(op(2, 0));
  EXPECT_EQ(letters({op(2, 0), shadow}), "DA");
  EXPECT_EQ(left(op(9, 1)), 2u);
}

TEST_F(RoutedStoreTest, AShadowPartAloneIsDecidedWhereItStands) {
  Op shadow = op(9, 1);
  shadow.part = 1;
  Op other = op(8, 0);
  other.part = 2;
  EXPECT_EQ(letters({shadow, other}), "AA");
  EXPECT_EQ(left(op(9, 1)), 2u);
  EXPECT_EQ(left(op(8, 0)), 2u);
}

TEST_F(RoutedStoreTest, OtherVerbsApplyToEachOpOnItsOwn) {
  Op debit = op(1, 0);
  debit.verb = Verb::debit;
  debit.cost = 5;
  Op here = op(4);
  here.verb = Verb::debit;
  here.cost = 2;
  apply({debit, here});
  EXPECT_EQ(left(op(1, 0)), 0u);
  EXPECT_EQ(left(op(4)), 1u);
}

TEST_F(RoutedStoreTest, B19_TheFailurePolicyAnswersWhereTheStoreIsOutOfReach) {
  near.out_of_reach = true;
  EXPECT_EQ(letters({op(1, 0, OnStoreFailure::deny)}), "U");
  EXPECT_EQ(letters({op(2, 0, OnStoreFailure::allow)}), "L");
  EXPECT_EQ(letters({op(3, 0, OnStoreFailure::local)}), "A");
  const auto refused = apply({op(3, 0, OnStoreFailure::local)})[0];
  EXPECT_FALSE(refused.decision.allowed) << "the share is one unit";
  EXPECT_EQ(refused.decision.authority, Authority::fallback);
  EXPECT_EQ(refused.decision.capacity, 1u);
}

TEST_F(RoutedStoreTest, B19_ARefusalIsARefusalWhateverThePolicy) {
  for (const auto policy : {OnStoreFailure::deny, OnStoreFailure::allow, OnStoreFailure::local}) {
    const auto number = 20 + static_cast<std::uint64_t>(policy);
    spend(op(number, 0, policy));
    EXPECT_EQ(letters({op(number, 0, policy)}), "D");
  }
}

TEST_F(RoutedStoreTest, WhatOneStoreCannotTellHoldsUpNoOther) {
  near.out_of_reach = true;
  EXPECT_EQ(letters({op(1, 0, OnStoreFailure::deny), op(2, 1), op(4)}), "UAA");
  EXPECT_EQ(left(op(2, 1)), 3u) << "given back: the request was not served";
  EXPECT_EQ(left(op(4)), 3u);
  EXPECT_EQ(letters({op(1, 0, OnStoreFailure::allow), op(2, 1), op(4)}), "LAA");
  EXPECT_EQ(left(op(2, 1)), 2u);
  EXPECT_EQ(left(op(4)), 2u);
}

TEST_F(RoutedStoreTest, TheShareIsAllOrNothingWithTheRest) {
  near.out_of_reach = true;
  spend(op(4));
  EXPECT_EQ(letters({op(1, 0, OnStoreFailure::local), op(2, 1), op(4)}), "AAD");
  EXPECT_EQ(letters({op(1, 0, OnStoreFailure::local)}), "A") << "the share was given back";
  EXPECT_EQ(left(op(2, 1)), 3u);
}

TEST_F(RoutedStoreTest, B79_EachChangeIsToldOnce) {
  near.out_of_reach = true;
  for (int i = 0; i < 3; ++i) letters({op(1, 0)});
  EXPECT_TRUE(router.out_of_reach(0));
  EXPECT_FALSE(router.out_of_reach(1));
  near.out_of_reach = false;
  now += 1s;
  for (int i = 0; i < 3; ++i) letters({op(1, 0)});
  EXPECT_FALSE(router.out_of_reach(0));
  EXPECT_EQ(changes, (std::vector<bool>{true, false}));
}

TEST_F(RoutedStoreTest, B80_WhatStandsInIsReleasedWhenTheStoreHasBeenBackForAWhile) {
  near.out_of_reach = true;
  EXPECT_EQ(letters({op(1, 0, OnStoreFailure::local)}), "A");
  near.out_of_reach = false;
  now += 1s;
  letters({op(2, 0)});
  near.out_of_reach = true;
  EXPECT_EQ(letters({op(1, 0, OnStoreFailure::local)}), "D") << "a store that comes and goes";
  near.out_of_reach = false;
  now += 11s;
  letters({op(2, 0)});
  near.out_of_reach = true;
  EXPECT_EQ(letters({op(1, 0, OnStoreFailure::local)}), "A") << "a new outage, a new share";
}

TEST_F(RoutedStoreTest, AnswersThatComeLaterCompleteTheBatchOnce) {
  near.answers_later = far.answers_later = true;
  struct Asked : StoreBatch {
    int completed = 0;
  } batch;
  const std::vector<Op> ops{op(1, 0), op(3, 1), op(4)};
  std::vector<Outcome> outcomes(ops.size());
  batch.now = now;
  batch.ops = ops;
  batch.outcomes = outcomes;
  batch.on_complete = [](StoreBatch& done) noexcept { ++static_cast<Asked&>(done).completed; };
  EXPECT_EQ(router.apply(batch), Store::Applied::later);
  near.answer();
  EXPECT_EQ(batch.completed, 0);
  far.answer();
  EXPECT_EQ(batch.completed, 1);
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.decision.remaining, 2u);
}

// Whatever stands where, the answer is that of one table.
TEST(RoutedStore, DecidesAsOneTableDoes) {
  rc::check([] {
    const CompiledLimit limit(fixed_window(4, std::chrono::hours{1}));
    SharedStoreDouble near, far;
    near.places = 3;
    store::Table table({.memory_bytes = std::size_t{1} << 20});
    store::Table reference({.memory_bytes = std::size_t{1} << 20});
    RoutedStore router(table,
                       {{.store = &near, .on_change = {}}, {.store = &far, .on_change = {}}});
    SharedTerms terms[2]{{.store = 0, .share = limit, .pack = {}, .longest_state = {}},
                         {.store = 1, .share = limit, .pack = {}, .longest_state = {}}};
    for (int round = 0; round < 30; ++round) {
      std::vector<Op> ops;
      const auto verb = *rc::gen::weightedElement<Verb>(
          {{8, Verb::acquire}, {1, Verb::peek}, {1, Verb::debit}, {2, Verb::refund}});
      const auto count = *rc::gen::inRange(1, 6);
      std::uint16_t part = 0;
      std::vector<bool> taken(8, false);
      for (int i = 0; i < count; ++i) {
        part = static_cast<std::uint16_t>(part + *rc::gen::inRange(0, 2));
        const auto number = *rc::gen::inRange<std::uint64_t>(0, 8);
        if (taken[number]) continue;
        taken[number] = true;
        ops.push_back({.key = store::key_of(number),
                       .subject = subject_of(number),
                       .limit = &limit,
                       .shared = number % 3 == 2 ? nullptr : &terms[number % 3],
                       .cost = *rc::gen::inRange<std::uint64_t>(0, 4),
                       .request = 0,
                       .part = part,
                       .verb = verb});
      }
      const auto run = [&ops](Store& store) {
        std::vector<Outcome> outcomes(ops.size());
        StoreBatch batch;
        batch.now = Time{std::chrono::hours{400'000}};
        batch.ops = ops;
        batch.outcomes = outcomes;
        store.apply(batch);
        for (auto& outcome : outcomes) outcome.decision.authority = Authority::local;
        return outcomes;
      };
      const auto expected = run(reference);
      const auto found = run(router);
      for (std::size_t at = 0; at < ops.size(); ++at) {
        RC_ASSERT(found[at].decision == expected[at].decision);
      }
    }
  });
}

}  // namespace
}  // namespace weir::limiter
