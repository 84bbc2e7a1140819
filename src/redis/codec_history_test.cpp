// SPDX-License-Identifier: Apache-2.0
// Random histories of one counter on a real redis-server: every algorithm, verb and kind of limit.
// Verdicts and numbers are those of the key table.
#include <rapidcheck.h>

#include "limit/random_history.hpp"
#include "redis/codec_support.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t modest_debt = 50'000'000;

/// Where what a bucket owes is more than is counted, the table goes on further.
bool is_saturated(CodecClient& client, Time now, const Op& op) {
  return op.limit->limit.has_burst() && client.get(now, op).starts_with("9007199254740991");
}

/// A step back by whole microseconds, for windows that stand alone not out of the present window:
/// the one before has a count of its own.
Time step_back(const Limit& limit, Time now) {
  Duration most = store_time(now).time_since_epoch();
  if (limit.algorithm() == Algorithm::fixed_window) most %= limit.period();
  const std::int64_t longest_us = std::min(most, limit.period() * 2) / 1us;
  return store_time(now) -
         std::chrono::microseconds{*rc::gen::inRange<std::int64_t>(0, longest_us + 1)};
}

void expect_same(const Decision& found, const Decision& expected) {
  RC_LOG() << "    " << found << '\n';
  if (!(found == expected)) RC_LOG() << "not " << expected << '\n';
  RC_ASSERT(found == expected);
}

class CodecHistory : public testing::TestWithParam<Algorithm> {
 protected:
  // Runs calls of one history on both, some of them at a time that has gone back.
  static void run(const Limit& limit, CodecClient& client, std::uint64_t number) {
    const CompiledLimit compiled(limit);
    TableModel table;
    RandomCalls calls(limit, modest_debt);
    Op op{.key = test_key(number), .subject = test_key(number + 1), .limit = &compiled};
    Decision last;
    for (int i = 0; i < 20; ++i) {
      Call call = calls.next(last);
      if (*rc::gen::inRange(0, 8) == 0) call.now = step_back(limit, call.now);
      RC_LOG() << call << '\n';
      op.verb = call.verb;
      op.cost = call.cost;
      last = client.ask(call.now, op);
      expect_same(last, table.ask(call.now, op));
      if (is_saturated(client, call.now, op)) return;
    }
  }
};

TEST_P(CodecHistory, AgreesWithTheKeyTable) {
  CodecClient client;
  std::uint64_t number = 0;
  EXPECT_TRUE(rc::check([&] {
    const Limit limit = random_limit(GetParam());
    RC_LOG() << limit.to_string() << '\n';
    run(limit, client, number += 2);
  }));
}

TEST_P(CodecHistory, OfALimitOfCountZeroAgreesToo) {
  CodecClient client;
  std::uint64_t number = 0;
  EXPECT_TRUE(rc::check([&] {
    Limit limit(GetParam(), 0, 1s);
    if (limit.has_burst()) limit = limit.with_burst(*rc::gen::inRange<std::uint64_t>(1, 6));
    const CompiledLimit compiled(limit);
    Op op{.key = test_key(number += 2), .subject = test_key(1), .limit = &compiled};
    TableModel table;
    for (int i = 0; i < 10; ++i) {
      op.verb = *rc::gen::element(Verb::acquire, Verb::peek, Verb::debit, Verb::refund);
      op.cost = *rc::gen::inRange<std::uint64_t>(0, 8);
      const Time now{std::chrono::milliseconds{300 * i}};
      expect_same(client.ask(now, op), table.ask(now, op));
    }
  }));
}

INSTANTIATE_TEST_SUITE_P(All, CodecHistory, testing::ValuesIn(all_algorithms),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace weir::redis
