// SPDX-License-Identifier: Apache-2.0
// The shared store as a whole: a loop, its client, and a real redis-server.
#include "redis/store.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "redis/store_fixture_support.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;
using Status = Outcome::Status;

using StoreTest = StoreFixture;

TEST_F(StoreTest, ABatchOfRequestsIsDecidedTogether) {
  const CompiledLimit three(fixed_window(3, 24h)), bucket(token_bucket(2, 24h));
  std::vector<Op> ops;
  for (std::uint32_t request = 0; request < 5; ++request) {
    ops.push_back(op(1, three));
    ops.push_back(op(2, bucket));
    ops[ops.size() - 2].request = ops.back().request = request;
  }
  const auto outcomes = apply(store_, clock_.now(), ops);
  for (std::size_t at = 0; at < ops.size(); ++at) {
    EXPECT_EQ(outcomes[at].status, Status::decided);
    EXPECT_EQ(outcomes[at].decision.authority, Authority::shared);
    EXPECT_EQ(outcomes[at].decision.allowed, at % 2 == 0 || at < 4);
  }
  EXPECT_EQ(outcomes[8].decision.remaining, 1u);  // the other limit refused: nothing was charged
}

TEST_F(StoreTest, OutOfReachIsUnavailableAndNotARefusal) {
  Options nowhere = parse_url("unix:///nowhere/at/all").value();
  nowhere.timeout = 10ms;
  RedisStore store(nowhere, clock_);
  const CompiledLimit limit(token_bucket(2, 24h));
  const std::vector<Op> ops{op(1, limit)};
  EXPECT_EQ(apply(store, clock_.now(), ops)[0].status, Status::unavailable) << "without a loop";

  boost::asio::io_context io;
  const auto part = store.attach(io);
  struct Waiting : StoreBatch {
    bool done = false;
  } batch;
  std::vector<Outcome> outcomes(1);
  batch.now = clock_.now();
  batch.ops = ops;
  batch.outcomes = outcomes;
  batch.on_complete = [](StoreBatch& complete) noexcept {
    static_cast<Waiting&>(complete).done = true;
  };
  EXPECT_EQ(store.apply(batch), Store::Applied::later);
  while (!batch.done) io.run_one();
  EXPECT_EQ(outcomes[0].status, Status::unavailable);
  EXPECT_FALSE(outcomes[0].decision.allowed);
}

TEST_F(StoreTest, WhatIsUnansweredWhenALoopEndsIsUnavailable) {
  RedisStore store(options_of(server()), clock_);
  const CompiledLimit limit(token_bucket(2, 24h));
  const std::vector<Op> ops{op(1, limit)};
  std::vector<Outcome> outcomes(1);
  boost::asio::io_context io;
  auto part = store.attach(io);
  static int completed = 0;
  StoreBatch batch;
  batch.now = clock_.now();
  batch.ops = ops;
  batch.outcomes = outcomes;
  batch.on_complete = [](StoreBatch&) noexcept { ++completed; };
  EXPECT_EQ(store.apply(batch), Store::Applied::later);
  part.reset();
  EXPECT_EQ(completed, 1);
  EXPECT_EQ(outcomes[0].status, Status::unavailable);
  EXPECT_EQ(apply(store, clock_.now(), ops)[0].status, Status::unavailable);
}

TEST_F(StoreTest, B19_AStateThatIsNoneIsAStoreErrorAndStaysAsItIs) {
  const CompiledLimit limit(token_bucket(2, 24h));
  const Op asked = op(1, limit);
  const std::string key = CodecClient::key_of(clock_.now(), asked);
  for (const std::string_view value : {"many", "12:34:56", "-5", ""}) {
    connection_.ask({"SET", key, value});
    EXPECT_EQ(ask(asked).status, Status::unavailable) << value;
  }
  connection_.ask({"DEL", key});
  connection_.ask({"RPUSH", key, "1"});
  EXPECT_EQ(ask(asked).status, Status::unavailable);
  EXPECT_EQ(connection_.ask({"LRANGE", key, "0", "-1"}), "[1]");
  EXPECT_EQ(ask(op(2, limit)).status, Status::decided);
}

TEST_F(StoreTest, B16_LostScriptsAreUnseen) {
  const CompiledLimit bucket(token_bucket(6, 24h)), counter(sliding_counter(6, 24h));
  for (std::uint64_t number = 1; number <= 6; ++number) {
    if (number == 3) connection_.ask({"SCRIPT", "FLUSH"});
    EXPECT_EQ(ask(op(1, bucket)).decision.remaining, 6 - number);
    EXPECT_EQ(ask(op(2, counter)).decision.remaining, 6 - number);
  }
}

TEST_F(StoreTest, ARefusalIsKnownForAWhileWithExactNumbers) {
  for (const Algorithm algorithm : all_algorithms) {
    const CompiledLimit limit(Limit(algorithm, 1, 24h));
    const auto number = static_cast<std::uint64_t>(algorithm) * 10;
    Time now = clock_.now();
    while (apply(store_, now, {op(number, limit)})[0].decision.allowed) continue;
    const auto asked = store_.stats().asked.load();
    now += 100ms;
    const Decision known = apply(store_, now, {op(number, limit)})[0].decision;
    EXPECT_EQ(store_.stats().asked, asked) << "the store was asked";
    Op look = op(number, limit, Verb::peek);
    const Decision exact = apply(store_, now, {look})[0].decision;
    EXPECT_EQ(known, exact) << to_string(algorithm);
    apply(store_, now + 2s, {op(number, limit)});
    EXPECT_EQ(store_.stats().asked, asked + 2) << "a second later it is asked again";
  }
}

TEST_F(StoreTest, WhatIsGivenBackIsThereAtOnce) {
  const CompiledLimit limit(token_bucket(1, 24h));
  EXPECT_TRUE(ask(op(1, limit)).decision.allowed);
  EXPECT_FALSE(ask(op(1, limit)).decision.allowed);
  EXPECT_TRUE(ask(op(1, limit, Verb::refund)).decision.allowed);
  EXPECT_TRUE(ask(op(1, limit)).decision.allowed);
  EXPECT_FALSE(ask(op(1, limit)).decision.allowed);
  EXPECT_TRUE(store_.forget(clock_.now(), op(1, limit)));
  EXPECT_TRUE(ask(op(1, limit)).decision.allowed);
}

/// A batch of one op, under way.
struct Flying : StoreBatch {
  Flying(const Op& op, Time time) : asked(op) {
    now = time;
    ops = {&asked, 1};
    outcomes = {&outcome, 1};
    on_complete = [](StoreBatch& batch) noexcept { static_cast<Flying&>(batch).is_done = true; };
  }
  Op asked;
  Outcome outcome;
  bool is_done = false;
};

TEST_F(StoreTest, WhatIsOnItsWayBackIsNotKnownToBeRefused) {
  RedisStore store(options_of(server()), clock_);
  boost::asio::io_context io;
  const auto part = store.attach(io);
  const CompiledLimit limit(token_bucket(1, 24h));
  const Time now = clock_.now();
  Flying taken(op(1, limit), now), refused(op(1, limit), now),
      given(op(1, limit, Verb::refund), now);
  for (Flying* one : {&taken, &refused}) EXPECT_EQ(store.apply(*one), Store::Applied::later);
  while (!refused.is_done) io.run_one();
  EXPECT_FALSE(refused.outcome.decision.allowed);
  Flying known(op(1, limit), now), again(op(1, limit), now);
  EXPECT_EQ(store.apply(known), Store::Applied::now);
  EXPECT_EQ(store.apply(given), Store::Applied::later);
  EXPECT_EQ(store.apply(again), Store::Applied::later);
  while (!again.is_done) io.run_one();
  EXPECT_TRUE(again.outcome.decision.allowed);
}

TEST_F(StoreTest, ARefusedRequestOfManyLimitsIsKnownAsAWhole) {
  const CompiledLimit one(fixed_window(1, 24h)), many(token_bucket(100, 24h));
  std::vector<Op> ops{op(1, one), op(2, many), op(3, many)};
  ops[2].part = 1;
  const Time now = clock_.now();
  apply(store_, now, ops);
  const auto refused = apply(store_, now, ops);
  const auto asked = store_.stats().asked.load();
  const auto known = apply(store_, now, ops);
  EXPECT_EQ(store_.stats().asked, asked);
  for (std::size_t at = 0; at < ops.size(); ++at) {
    EXPECT_EQ(known[at].decision, refused[at].decision);
  }
}

/// A machine's clock that is wrong.
class SkewedClock final : public Clock {
 public:
  explicit SkewedClock(Duration ahead) : ahead_(ahead) {}
  [[nodiscard]] Time now() const noexcept override { return SteadyClock::shared().now() + ahead_; }

 private:
  Duration ahead_;
};

TEST_F(StoreTest, B36_InstancesDecideAtTheStoresTimeWhateverTheirClocks) {
  const SkewedClock ahead(30s), behind(-30s);
  Options options = options_of(server());
  options.use_store_time = true;
  options.deny_cache = {};
  BlockingStore first(options, ahead), second(options, behind);
  for (const Algorithm algorithm : all_algorithms) {
    const CompiledLimit limit(Limit(algorithm, 10, 40s));  // in 30 seconds, most of it is back
    const Op asked = op(static_cast<std::uint64_t>(algorithm), limit);
    const auto window = [&] { return clock_.now().time_since_epoch() / 40s; };
    std::int64_t began = 0;
    int admitted = 0;
    do {  // again, where a window ended meanwhile
      connection_.ask({"FLUSHALL"});
      began = window();
      admitted = 0;
      for (int i = 0; i < 30; ++i) {
        admitted += apply(first, ahead.now(), {asked})[0].decision.allowed ? 1 : 0;
        admitted += apply(second, behind.now(), {asked})[0].decision.allowed ? 1 : 0;
      }
    } while (window() != began);
    const int most = algorithm == Algorithm::leaky_queue ? 11 : 10;
    EXPECT_GE(admitted, most) << to_string(algorithm);
    EXPECT_LE(admitted, most + 2) << to_string(algorithm);  // of the time that goes by
  }
}

TEST_F(StoreTest, LoopsShareALimitExactly) {
  const CompiledLimit limit(token_bucket(500, 24h));
  std::atomic<int> admitted{0};
  std::vector<std::thread> loops;
  for (int loop = 0; loop < 3; ++loop) {
    loops.emplace_back([&] {
      BlockingStore store(options_of(server()), clock_);
      for (int i = 0; i < 300; ++i) {
        if (apply(store, clock_.now(), {op(1, limit)})[0].decision.allowed) ++admitted;
      }
    });
  }
  for (auto& loop : loops) loop.join();
  EXPECT_EQ(admitted, 500);
}

}  // namespace
}  // namespace weir::redis
