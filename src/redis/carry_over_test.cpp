// SPDX-License-Identifier: Apache-2.0
// A limit is edited while its counters are live in a store that instances share.
#include <gtest/gtest.h>

#include "redis/store_fixture_support.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;

class CarryOverTest : public StoreFixture {
 protected:
  CarryOver move(const CompiledLimit& before, const CompiledLimit& after) const {
    return {.from = test_key(1),
            .before = &before,
            .to = test_key(2),
            .after = &after,
            .subject = subject_,
            .shared_before = shared_before_,
            .shared_after = shared_after_};
  }
  Op op_before(const CompiledLimit& limit, std::uint64_t cost, Verb verb = Verb::acquire) const {
    return {.key = test_key(1),
            .subject = subject_,
            .limit = &limit,
            .shared = shared_before_,
            .cost = cost,
            .verb = verb};
  }
  Op op_after(const CompiledLimit& limit, std::uint64_t cost, Verb verb = Verb::acquire) const {
    return {.key = test_key(2),
            .subject = subject_,
            .limit = &limit,
            .shared = shared_after_,
            .cost = cost,
            .verb = verb};
  }
  /// What is left of `after` once `used` units of `before` were used and the limit is edited.
  std::uint64_t left_after_edit(const CompiledLimit& before, std::uint64_t used,
                                const CompiledLimit& after) {
    connection_.ask({"FLUSHALL"});
    BlockingStore store(options_of(server()), clock_);
    EXPECT_TRUE(apply(store, now_, {op_before(before, used)})[0].decision.allowed);
    store.carry_over(now_, std::array{move(before, after)});
    const auto left = apply(store, now_, {op_after(after, 1, Verb::peek)})[0].decision.remaining;
    const Decision forgotten = apply(store, now_, {op_before(before, 1, Verb::peek)})[0].decision;
    EXPECT_EQ(forgotten.remaining, before.limit.capacity());
    return left;
  }

  const Key subject_ = test_key(3);
  const SharedTerms* shared_before_ = nullptr;
  const SharedTerms* shared_after_ = nullptr;
  const Time now_{24h * 365 * 50 + 20s};
};

TEST_F(CarryOverTest, B07_TheUnitsUsedStayUsedWhateverTheAlgorithm) {
  SharedTerms packed{.share = CompiledLimit(token_bucket(1, 1s)), .pack = test_key(9)};
  packed.longest_state = 60s;
  const std::vector<CompiledLimit> limits{
      CompiledLimit(token_bucket(10, 60s)), CompiledLimit(token_bucket(7, 60s)),
      CompiledLimit(fixed_window(10, 60s)), CompiledLimit(sliding_log(10, 60s)),
      CompiledLimit(sliding_counter(10, 60s))};
  for (const SharedTerms* shared :
       {static_cast<const SharedTerms*>(nullptr), &std::as_const(packed)}) {
    shared_after_ = shared;
    for (const auto& before : limits) {
      for (const auto& after : limits) {
        EXPECT_EQ(left_after_edit(before, 4, after), after.limit.capacity() - 4)
            << before.limit.to_string() << " to " << after.limit.to_string();
      }
    }
  }
}

TEST_F(CarryOverTest, B07_ALoweredAndARaisedCountKeepWhatWasUsed) {
  const CompiledLimit hundred(fixed_window(100, 60s)), ten(fixed_window(10, 60s));
  EXPECT_EQ(left_after_edit(hundred, 1, ten), 9u);
  EXPECT_EQ(left_after_edit(ten, 10, hundred), 90u);
  EXPECT_EQ(left_after_edit(hundred, 40, ten), 0u);
}

TEST_F(CarryOverTest, ALogKeepsItsInstants) {
  const CompiledLimit ten(sliding_log(10, 60s)), five(sliding_log(5, 60s));
  for (int second = 0; second < 40; second += 10) {
    apply(store_, now_ + std::chrono::seconds(second), {op_before(ten, 1)});
  }
  const Time edited = now_ + 40s;
  store_.carry_over(edited, std::array{move(ten, five)});
  const Decision decision = apply(store_, edited, {op_after(five, 3)})[0].decision;
  EXPECT_EQ(decision.remaining, 1u);
  EXPECT_EQ(decision.retry_after, 30s);  // until the second instant has left
}

TEST_F(CarryOverTest, NothingMovesOntoAKeyThatIsInUseNorFromOneThatIsNot) {
  const CompiledLimit ten(token_bucket(10, 60s)), twenty(token_bucket(20, 60s));
  apply(store_, now_, {op_before(ten, 8), op_after(twenty, 1)});
  store_.carry_over(now_, std::array{move(ten, twenty)});
  EXPECT_EQ(apply(store_, now_, {op_after(twenty, 1, Verb::peek)})[0].decision.remaining, 19u);
  EXPECT_EQ(apply(store_, now_, {op_before(ten, 1, Verb::peek)})[0].decision.remaining, 2u);
  connection_.ask({"FLUSHALL"});
  store_.carry_over(now_ + 2min, std::array{move(ten, twenty)});
  EXPECT_EQ(apply(store_, now_, {op_after(twenty, 1, Verb::peek)})[0].decision.remaining, 20u);
  EXPECT_EQ(connection_.ask({"DBSIZE"}), "0");
}

TEST_F(CarryOverTest, OfManyInstancesOneMovesIt) {
  const CompiledLimit ten(token_bucket(10, 60s)), twenty(token_bucket(20, 60s));
  apply(store_, now_, {op_before(ten, 8)});
  RedisStore store(options_of(server()), clock_);
  boost::asio::io_context io;
  struct Instance {
    RedisStore store;
    std::unique_ptr<RedisStore::LoopPart> part;
  };
  std::vector<std::unique_ptr<Instance>> instances;
  std::vector<StoreBatch> batches(5);
  std::vector<Outcome> outcomes(batches.size());
  const std::vector<Op> ops{op_after(twenty, 1)};
  static int completed;
  completed = 0;
  for (std::size_t at = 0; at < batches.size(); ++at) {
    auto& one =
        *instances.emplace_back(new Instance{{options_of(server()), clock_}, nullptr});  // NOLINT
    one.part = one.store.attach(io);
    one.store.carry_over(now_, std::array{move(ten, twenty)});
    batches[at] = {.now = now_, .ops = ops, .outcomes = {&outcomes[at], 1}};
    batches[at].on_complete = [](StoreBatch&) noexcept { ++completed; };
    EXPECT_EQ(one.store.apply(batches[at]), Store::Applied::later);
  }
  while (completed < 5) io.run_one();
  const Decision last = apply(store_, now_, {op_after(twenty, 1, Verb::peek)})[0].decision;
  EXPECT_EQ(last.remaining, 20u - 8 - 5);
}

}  // namespace
}  // namespace weir::redis
