// SPDX-License-Identifier: Apache-2.0
// Requests of several limits on a real redis-server: all or nothing within each part, packed in one
// key or each at its own. Outcomes are those of the key table.
#include <rapidcheck.h>

#include <deque>

#include "redis/codec_support.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;

/// Limits of every algorithm and shape.
const std::deque<CompiledLimit>& all_limits() {
  static const std::deque<CompiledLimit> limits{
      CompiledLimit(token_bucket(10, 1s).with_burst(5)),
      CompiledLimit(token_bucket(3, 1s)),
      CompiledLimit(token_bucket(0, 1s).with_burst(4)),
      CompiledLimit(token_bucket(1, 365 * 24h).with_burst(900)),
      CompiledLimit(leaky_queue(10, 1s).with_burst(3)),
      CompiledLimit(leaky_queue(7, 1s).with_burst(3)),
      CompiledLimit(fixed_window(4, 1s)),
      CompiledLimit(sliding_counter(6, 1s)),
      CompiledLimit(sliding_log(4, 1s)),
      CompiledLimit(sliding_log(40, 2s))};
  return limits;
}

SharedTerms terms(Key pack) {
  return {.share = CompiledLimit(token_bucket(1, 1s)), .pack = pack, .longest_state = 900s};
}

/// Two rules of several limits, and limits on their own. Which one a limit is in does not change:
/// it is part of where its state stands.
const SharedTerms* terms_of(std::size_t limit) {
  static const SharedTerms alone = terms({});
  static const SharedTerms packs[] = {terms(test_key(1000)), terms(test_key(2000))};
  return limit % 3 == 2 ? &alone : &packs[limit % 3];
}

Op op_of(std::uint64_t subject, std::size_t limit) {
  return {.key = test_key(subject * 100 + limit),
          .subject = test_key(5000 + subject),
          .limit = &all_limits()[limit],
          .shared = terms_of(limit)};
}

Op any_op(std::uint64_t keys) {
  const auto limit = *rc::gen::inRange<std::size_t>(0, all_limits().size());
  Op op = op_of(*rc::gen::inRange<std::uint64_t>(0, keys), limit);
  op.cost = *rc::gen::inRange<std::uint64_t>(0, 7);
  return op;
}

/// An acquire of the limits of one rule, as a rule asks them.
std::vector<Op> request_of_a_rule(std::uint64_t keys) {
  const auto rule = *rc::gen::inRange<std::size_t>(0, 2);
  const auto subject = *rc::gen::inRange<std::uint64_t>(0, keys);
  std::vector<Op> ops;
  for (std::size_t limit = rule; limit < all_limits().size(); limit += 3) {
    if (all_limits()[limit].shape == Shape::log) continue;
    ops.push_back(op_of(subject, limit));
    ops.back().cost = *rc::gen::inRange<std::uint64_t>(0, 3);
  }
  return ops;
}

/// Several ops of one verb, acquires in parts.
std::vector<Op> any_request(std::uint64_t keys) {
  if (*rc::gen::inRange(0, 3) == 0) return request_of_a_rule(keys);
  const Verb verb = *rc::gen::weightedElement<Verb>(
      {{6, Verb::acquire}, {1, Verb::peek}, {1, Verb::debit}, {2, Verb::refund}});
  std::vector<Op> ops;
  const auto most = *rc::gen::inRange(1, 9);
  std::uint16_t part = *rc::gen::element<std::uint16_t>(0, 0, 0, 1);
  for (int at = 0; at < most; ++at) {
    Op op = any_op(keys);
    op.verb = verb;
    if (*rc::gen::inRange(0, 4) == 0) ++part;
    op.part = part;
    const bool twice = std::ranges::any_of(
        ops, [&](const Op& before) { return before.part == op.part && before.key == op.key; });
    if (!twice) ops.push_back(op);
  }
  return ops;
}

TEST(CodecRequest, B01_SeveralLimitsAreAllOrNothingAsInTheKeyTable) {
  CodecClient client;
  EXPECT_TRUE(rc::check([&] {
    client.connection().ask({"FLUSHALL"});
    TableModel table;
    Time now{24h * 365 * 50};
    const auto keys = *rc::gen::element<std::uint64_t>(1, 1, 3);
    const auto length = *rc::gen::inRange(1, 40);
    for (int step = 0; step < length; ++step) {
      now += std::chrono::milliseconds(*rc::gen::inRange(0, 400));
      const auto ops = any_request(keys);
      const auto found = client.apply(now, ops);
      const auto expected = table.apply(now, ops);
      for (std::size_t at = 0; at < ops.size(); ++at) {
        RC_LOG() << ops[at].limit->limit.to_string() << " part " << ops[at].part << ' '
                 << static_cast<int>(ops[at].verb) << ' ' << ops[at].cost << ": "
                 << found[at].decision << '\n';
        RC_ASSERT(found[at].decision == expected[at].decision);
      }
    }
  }));
}

TEST(CodecRequest, TheLimitsOfARuleStandInOneKey) {
  CodecClient client;
  std::vector<Op> ops;
  for (const std::size_t limit : {0u, 3u, 6u, 9u}) {
    ops.push_back({.key = test_key(limit),
                   .subject = test_key(5000),
                   .limit = &all_limits()[limit],
                   .shared = terms_of(0)});
  }
  const Time now{24h * 365 * 50};
  for (const Outcome& outcome : client.apply(now, ops)) EXPECT_TRUE(outcome.decision.allowed);
  EXPECT_EQ(client.connection().ask({"DBSIZE"}), "2");  // a log stands at its own
  EXPECT_EQ(client.connection().ask({"HLEN", CodecClient::key_of(now, ops[0])}), "3");
  EXPECT_GT(client.pttl(now, ops[0]), 800s);
}

TEST(CodecRequest, ADebtInAKeyOfSeveralOutlivesTheOthersWrites) {
  CodecClient client;
  std::vector<Op> ops;
  for (const std::size_t limit : {0u, 6u}) {
    ops.push_back({.key = test_key(limit),
                   .subject = test_key(5000),
                   .limit = &all_limits()[limit],
                   .shared = terms_of(0)});
  }
  const Time now{24h * 365 * 50};
  Op debit = ops[0];
  debit.verb = Verb::debit;
  debit.cost = 100'000;
  client.ask(now, debit);
  EXPECT_GT(client.pttl(now, debit), 9990s);
  EXPECT_TRUE(client.ask(now, ops[1]).allowed);
  EXPECT_GT(client.pttl(now, debit), 9990s);
  ops[1].verb = Verb::debit;
  client.ask(now, ops[1]);
  EXPECT_GT(client.pttl(now, debit), 9990s);
}

TEST(CodecRequest, B91_ResetForgetsOneLimitOfAKey) {
  CodecClient client;
  const Time now{24h * 365 * 50};
  for (std::size_t limit = 0; limit < all_limits().size(); ++limit) {
    for (const SharedTerms* shared : {terms_of(0), terms_of(2)}) {
      Op op{.key = test_key(limit),
            .subject = test_key(7),
            .limit = &all_limits()[limit],
            .shared = shared};
      const Decision fresh = client.ask(now, op);
      while (client.ask(now, op).allowed && op.limit->limit.capacity() < 100) continue;
      client.forget(now, op);
      EXPECT_EQ(client.ask(now, op), fresh);
      client.forget(now, op);
      client.forget(now, op);  // an unknown key is no error, and none is made
      EXPECT_EQ(client.connection().ask({"DBSIZE"}), "0");
    }
  }
}

}  // namespace
}  // namespace weir::redis
