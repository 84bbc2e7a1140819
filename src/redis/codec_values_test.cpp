// SPDX-License-Identifier: Apache-2.0
// What stands in the store: how long it lives, what happens to values made by hand, and that no
// unit is lost or gained in the long run.
#include "redis/codec_support.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;

class CodecValues : public testing::Test {
 protected:
  static Op op(const CompiledLimit& limit, std::uint64_t cost = 1, Verb verb = Verb::acquire) {
    return {
        .key = test_key(1), .subject = test_key(2), .limit = &limit, .cost = cost, .verb = verb};
  }

  /// `AAD`: one letter for each ask.
  std::string verdicts(const CompiledLimit& limit, const std::vector<Duration>& times) {
    std::string letters;
    for (const Duration time : times) {
      letters += client_.ask(start_ + time, op(limit)).allowed ? 'A' : 'D';
    }
    return letters;
  }
  int admitted(const CompiledLimit& limit, Duration time, int calls) {
    const std::string letters =
        verdicts(limit, std::vector<Duration>(static_cast<std::size_t>(calls), time));
    return static_cast<int>(std::ranges::count(letters, 'A'));
  }

  CodecClient client_;
  const Time start_{24h * 365 * 50};  // the start of a window of any usual period
};

TEST_F(CodecValues, B08_StatesLiveAsLongAsTheyMatter) {
  const CompiledLimit third(token_bucket(3, 1s).with_burst(1)), slow(token_bucket(1, 10s));
  EXPECT_EQ(verdicts(third, {0ms, 100ms, 340ms}), "ADA");
  client_.connection().ask({"FLUSHALL"});
  EXPECT_EQ(verdicts(slow, {0ms, 1500ms, 9900ms, 10s}), "ADDA");
  client_.connection().ask({"FLUSHALL"});
  const CompiledLimit counter(sliding_counter(10, 60s));
  EXPECT_EQ(admitted(counter, 0s, 10), 10);
  EXPECT_EQ(admitted(counter, 110s, 20), 9);  // floor(10 * 10 s / 60 s) is 1
  client_.connection().ask({"FLUSHALL"});
  const CompiledLimit window(fixed_window(5, 3600s));
  EXPECT_EQ(admitted(window, 0s, 5), 5);
  EXPECT_EQ(admitted(window, 3599s, 1), 0);
}

TEST_F(CodecValues, B33_TimeToLiveIsWhatTheStateNeedsAndASecond) {
  for (const Duration period : {Duration{1s}, Duration{60s}, Duration{3600s}, Duration{86400s}}) {
    for (const Algorithm algorithm : all_algorithms) {
      client_.connection().ask({"FLUSHALL"});
      const CompiledLimit limit(Limit(algorithm, 10, period));
      client_.ask(start_, op(limit, 10));
      const Duration needed = algorithm == Algorithm::sliding_counter ? period * 2 : period;
      const Duration queued = algorithm == Algorithm::leaky_queue ? period : 0s;
      const Duration life = client_.pttl(start_, op(limit));
      EXPECT_GT(life, needed) << limit.limit.to_string();
      EXPECT_LE(life, needed + queued + 1s + 1ms) << limit.limit.to_string();
    }
  }
}

TEST_F(CodecValues, B30_TheFirstWriteHasAnEndWhateverItsCost) {
  const CompiledLimit limit(fixed_window(100, 10s));
  client_.ask(start_, op(limit, 0));
  EXPECT_EQ(client_.pttl(start_, op(limit)), -2ms);
  client_.ask(start_, op(limit, 33));
  EXPECT_GT(client_.pttl(start_, op(limit)), 10s);
  EXPECT_LE(client_.pttl(start_, op(limit)), 11s);
  EXPECT_EQ(client_.ask(start_ + 10s, op(limit, 1, Verb::peek)).remaining, 100u);
}

TEST_F(CodecValues, B08_ADebtLivesUntilItIsPaidAndARefundDoesNotShortenIt) {
  for (const Limit& limit : {token_bucket(1, 1s), token_bucket(3, 1s), leaky_queue(1, 1s)}) {
    client_.connection().ask({"FLUSHALL"});
    const CompiledLimit compiled(limit);
    client_.ask(start_, op(compiled, 6000, Verb::debit));
    const Duration debt = 6000s / limit.count();
    EXPECT_GE(client_.pttl(start_, op(compiled)), debt);
    client_.ask(start_, op(compiled, 1, Verb::refund));
    EXPECT_GE(client_.pttl(start_, op(compiled)), debt - 1s);
    EXPECT_LE(client_.pttl(start_, op(compiled)), debt + 2s);
  }
}

TEST_F(CodecValues, B08_WhatNeverComesBackStaysForAllTime) {
  const CompiledLimit once(token_bucket(0, 1s).with_burst(2));
  EXPECT_EQ(verdicts(once, {0s, 0s, 0s, 24h * 365 * 20}), "AADD");
  EXPECT_GT(client_.pttl(start_, op(once)), 24h * 365 * 200);
  client_.connection().ask({"FLUSHALL"});
  const CompiledLimit yearly(token_bucket(1, 365 * 24h).with_burst(1'000'000'000));
  client_.ask(start_, op(yearly, 1'000'000'000));
  EXPECT_EQ(client_.ask(start_, op(yearly, 1, Verb::peek)).remaining, 0u);
  EXPECT_EQ(client_.ask(start_ + 365 * 24h, op(yearly, 1, Verb::peek)).remaining, 1u);
  EXPECT_GT(client_.pttl(start_, op(yearly)), 24h * 365 * 200);
}

TEST_F(CodecValues, B28_AKeyWithoutAnEndGetsOneAtItsNextCheck) {
  const Time far = start_ + 24h * 365 * 20;
  const std::string late = std::to_string(far.time_since_epoch() / 1us);
  struct Case {
    Limit limit;
    std::string value;
  };
  for (const auto& [limit, value] :
       {Case{token_bucket(1, 60s), late}, Case{token_bucket(7, 60s), late + "000"},
        Case{token_bucket(1009, 60s), late + ":0"},
        Case{sliding_counter(5, 60s), std::to_string(far.time_since_epoch() / 60s) + ":9:9"}}) {
    const CompiledLimit compiled(limit);
    const Op asked = op(compiled);
    client_.connection().ask({"SET", CodecClient::key_of(start_, asked), value});
    ASSERT_EQ(client_.pttl(start_, asked), -1ms);
    EXPECT_FALSE(client_.ask(start_, asked).allowed);
    EXPECT_GT(client_.pttl(start_, asked), 0ms);
    EXPECT_LE(client_.pttl(start_, asked), 121s);
  }
}

TEST_F(CodecValues, B28_AListAndAHashToo) {
  const CompiledLimit log(sliding_log(1, 60s)), window(fixed_window(1, 60s));
  SharedTerms packed{.share = CompiledLimit(token_bucket(1, 1s)), .pack = test_key(9)};
  packed.longest_state = 60s;
  Op in_hash = op(window);
  in_hash.shared = &packed;
  for (const Op& asked : {op(log), in_hash}) {
    EXPECT_TRUE(client_.ask(start_, asked).allowed);
    client_.connection().ask({"PERSIST", CodecClient::key_of(start_, asked)});
    EXPECT_FALSE(client_.ask(start_, asked).allowed);
    EXPECT_GT(client_.pttl(start_, asked), 0ms);
  }
}

TEST_F(CodecValues, AValueThatIsNoStateIsAStoreErrorForEveryVerb) {
  for (const Algorithm algorithm : all_algorithms) {
    const CompiledLimit limit(Limit(algorithm, 5, 60s));
    for (const Verb verb : {Verb::acquire, Verb::peek, Verb::debit, Verb::refund}) {
      const Op asked = op(limit, 1, verb);
      const std::string key = CodecClient::key_of(start_, asked);
      const bool is_list = algorithm == Algorithm::sliding_log;
      client_.connection().ask({"DEL", key});
      client_.connection().ask({"SADD", key, "x"});
      EXPECT_FALSE(client_.try_apply(start_, {asked}).has_value());
      client_.connection().ask({"DEL", key});
      if (is_list) client_.connection().ask({"RPUSH", key, "0", "x", "y"});
      if (!is_list) client_.connection().ask({"SET", key, "words"});
      EXPECT_FALSE(client_.try_apply(start_, {asked}).has_value());
    }
  }
}

TEST_F(CodecValues, B01_AStateThatIsNoneLeavesTheOthersOfTheRequestAlone) {
  const CompiledLimit bucket(token_bucket(5, 60s)), counter(sliding_counter(5, 60s));
  Op first = op(bucket);
  Op second = op(counter);
  second.key = test_key(7);
  client_.connection().ask({"RPUSH", CodecClient::key_of(start_, second), "x"});
  EXPECT_FALSE(client_.try_apply(start_, {first, second}).has_value());
  EXPECT_EQ(client_.get(start_, first), "nil");
}

TEST_F(CodecValues, WhatFadesIsWholeToTheLastMicrosecond) {
  const CompiledLimit counter(sliding_counter(10, 60s));
  ASSERT_TRUE(client_.ask(start_, op(counter, 10)).allowed);
  EXPECT_FALSE(client_.ask(start_ + 90s, op(counter, 6)).allowed);  // five are left of the ten
  EXPECT_TRUE(client_.ask(start_ + 90s + 1us, op(counter, 6)).allowed);
}

TEST_F(CodecValues, NothingMovesWhereAStateHasChangedSinceItWasSeen) {
  const CompiledLimit before(token_bucket(10, 60s)), after(token_bucket(20, 60s));
  Op from = op(before, 4);
  Op to = op(after, 4, Verb::debit);
  to.key = test_key(8);
  client_.ask(start_, from);
  const std::string seen = client_.get(start_, from);
  EXPECT_EQ(client_.move(start_, {from, "1"}, {to, ""}), "0");
  EXPECT_EQ(client_.move(start_, {from, seen}, {to, "1"}), "0");
  EXPECT_EQ(client_.get(start_, from), seen);
  EXPECT_EQ(client_.get(start_, to), "nil");
  EXPECT_EQ(client_.move(start_, {from, seen}, {to, ""}), "1");
  EXPECT_EQ(client_.get(start_, from), "nil");
  EXPECT_EQ(client_.move(start_, {from, seen}, {to, ""}), "0");
  to.verb = Verb::peek;
  EXPECT_EQ(client_.ask(start_, to).remaining, 16u);
}

TEST_F(CodecValues, B14_RequestsOfOneInstantAllCount) {
  const CompiledLimit five(sliding_log(5, 10s));
  EXPECT_EQ(admitted(five, 7s, 10), 5);
  client_.connection().ask({"FLUSHALL"});
  EXPECT_TRUE(client_.ask(start_, op(five, 2)).allowed);
  EXPECT_TRUE(client_.ask(start_, op(five, 2)).allowed);
  const Decision third = client_.ask(start_, op(five, 2));
  EXPECT_FALSE(third.allowed);
  EXPECT_EQ(third.remaining, 1u);
}

TEST_F(CodecValues, B27_RefundsNeverGoBeyondFull) {
  for (const Algorithm algorithm : all_algorithms) {
    client_.connection().ask({"FLUSHALL"});
    const CompiledLimit limit(Limit(algorithm, 10, 60s));
    const auto full = client_.ask(start_, op(limit, 1, Verb::peek)).remaining;
    EXPECT_TRUE(client_.ask(start_, op(limit, 10)).allowed);
    EXPECT_TRUE(client_.ask(start_, op(limit, 3, Verb::refund)).allowed);
    EXPECT_EQ(client_.ask(start_, op(limit, 1, Verb::peek)).remaining, full - 7);
    const Decision all = client_.ask(start_, op(limit, ~std::uint64_t{0}, Verb::refund));
    EXPECT_TRUE(all.allowed);
    EXPECT_EQ(all.remaining, full);
  }
}

TEST_F(CodecValues, B03_CostsOfAnySizeAreSafe) {
  constexpr std::uint64_t largest = ~std::uint64_t{0};
  for (const Algorithm algorithm : all_algorithms) {
    client_.connection().ask({"FLUSHALL"});
    const CompiledLimit limit(Limit(algorithm, 10, 60s));
    const Decision refused = client_.ask(start_, op(limit, largest));
    EXPECT_FALSE(refused.allowed);
    EXPECT_EQ(refused.retry_after, never);
    EXPECT_EQ(client_.connection().ask({"DBSIZE"}), "0");
    for (int i = 0; i < 3; ++i) client_.ask(start_, op(limit, largest, Verb::debit));
    const Decision owing = client_.ask(start_ + 1s, op(limit));
    EXPECT_FALSE(owing.allowed) << limit.limit.to_string();
    EXPECT_EQ(owing.remaining, 0u);
    EXPECT_GT(client_.pttl(start_, op(limit)), 0ms);
  }
}

TEST_F(CodecValues, B93_ALargeLogIsNeverSlow) {
  const CompiledLimit limit(sliding_log(70'000, 86'400s));
  auto& redis = client_.connection();
  redis.ask({"CONFIG", "SET", "slowlog-log-slower-than", "5000"});
  redis.ask({"SLOWLOG", "RESET"});
  for (int i = 0; i < 1000; ++i) {
    client_.ask(start_ + std::chrono::microseconds{i}, op(limit, 70));
  }
  // As many instants as there are units: the list is made longer by hand, a thousand at a time.
  const std::string key = CodecClient::key_of(start_, op(limit));
  redis.ask({"EVAL",
             "redis.call('DEL', KEYS[1], 'x') redis.call('RPUSH', KEYS[1], 0) for i = 1, 70000 do "
             "redis.call('RPUSH', KEYS[1], string.format('%d', ARGV[1] + i), i) end",
             "1", key, std::to_string(start_.time_since_epoch() / 1us)});
  redis.ask({"SLOWLOG", "RESET"});
  const Time full = start_ + 1s;
  for (const std::uint64_t cost : {1u, 2u, 35'000u, 69'999u, 70'000u}) {
    const Decision refused = client_.ask(full, op(limit, cost));
    EXPECT_FALSE(refused.allowed);
    EXPECT_EQ(refused.retry_after, 86'400s - 1s + std::chrono::microseconds{cost});
    EXPECT_EQ(client_.ask(full, op(limit, cost, Verb::peek)).remaining, 0u);
  }
  const Time half = start_ + 86'400s + 35'000us;
  EXPECT_EQ(client_.ask(half, op(limit, 1)).remaining, 34'999u);
  EXPECT_EQ(client_.ask(half, op(limit, 30'000, Verb::refund)).remaining, 64'999u);
  EXPECT_EQ(redis.ask({"SLOWLOG", "LEN"}), "0");
}

struct Drift {
  Limit limit;
  Duration step;
};

class NoDrift : public testing::TestWithParam<Drift> {};

// A caller who comes again and again is admitted as often as exact arithmetic says.
TEST_P(NoDrift, ManyAdmissionsAreExact) {
  const auto& [limit, step] = GetParam();
  const CompiledLimit compiled(limit);
  CodecClient client;
  TestCounter exact(limit);
  int admitted = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Time now = Time{24h * 365 * 50} + step * i;
    const Op op{.key = test_key(1), .subject = test_key(2), .limit = &compiled};
    const bool allowed = client.ask(now, op).allowed;
    ASSERT_EQ(allowed, exact.acquire(1, store_time(now)).allowed) << i;
    admitted += allowed ? 1 : 0;
  }
  EXPECT_GT(admitted, 1000);
}

INSTANTIATE_TEST_SUITE_P(Odd, NoDrift,
                         testing::Values(Drift{token_bucket(3, 1s), 111'111us},
                                         Drift{token_bucket(7, 60s), 5'000'003us},
                                         Drift{token_bucket(3'000'000, 1s).with_burst(1), 1us},
                                         Drift{leaky_queue(7, 1s).with_burst(2), 99'991us},
                                         Drift{sliding_counter(7, 1s), 99'991us}));

}  // namespace
}  // namespace weir::redis
