// SPDX-License-Identifier: Apache-2.0
// The table against a model: a map from keys to states and the bare steps. Whatever the history,
// the table with its groups, locks, logs and expired places gives the same outcomes.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <deque>
#include <map>

#include "store/snapshot.hpp"
#include "store/table_fixture.hpp"
#include "store/temporary_file.hpp"

namespace weir::store {
namespace {

using namespace std::chrono_literals;

/// States that are never forgotten, in memory without bounds.
class Model {
 public:
  Decision step(const Op& op, Verb verb, Time now) {
    State& state = states_[{op.key.lo, op.limit->shape}];
    switch (op.limit->shape) {
      case Shape::word: return weir::step(*op.limit, verb, op.cost, now, state.word);
      case Shape::wide: return weir::step(*op.limit, verb, op.cost, now, state.wide);
      case Shape::log: break;
    }
    if (state.memory.empty()) state.ring = LogRing(state.memory = std::vector<LogEntry>(1024));
    return weir::step(*op.limit, verb, op.cost, now, state.ring);
  }

  /// Several ops are one acquire.
  std::vector<Outcome> apply(Time now, std::span<const Op> ops) {
    std::vector<Outcome> outcomes(ops.size());
    if (ops.size() == 1) {
      outcomes[0].decision = step(ops[0], ops[0].verb, now);
      return outcomes;
    }
    const auto each_of = [&](std::uint16_t part, Verb verb) {
      bool all = true;
      for (std::size_t at = 0; at < ops.size(); ++at) {
        if (ops[at].part != part) continue;
        outcomes[at].decision = step(ops[at], verb, now);
        all &= outcomes[at].decision.allowed;
      }
      return all;
    };
    std::vector<bool> admits;
    for (std::uint16_t part = 0; part <= ops.back().part; ++part) {
      admits.push_back(each_of(part, Verb::peek));
    }
    if (admits[0]) each_of(0, Verb::acquire);
    // What a key of two parts has left for the second is known only after the first.
    for (std::uint16_t part = 1; part <= ops.back().part; ++part) {
      if (admits[0] && admits[part] && each_of(part, Verb::peek)) each_of(part, Verb::acquire);
    }
    return outcomes;
  }

 private:
  struct State {
    WordState word = 0;
    WideState wide;
    std::vector<LogEntry> memory;
    LogRing ring;
  };

  std::map<std::pair<std::uint64_t, Shape>, State> states_;
};

/// Limits of every algorithm and shape; in one test each key is asked with one of them.
const std::deque<CompiledLimit>& all_limits() {
  static const std::deque<CompiledLimit> limits{
      CompiledLimit(token_bucket(10, 1s).with_burst(5)),
      CompiledLimit(token_bucket(3, 1s)),  // its unit is no whole number of ns: wide
      CompiledLimit(token_bucket(0, 1s).with_burst(4)),
      CompiledLimit(leaky_queue(10, 1s).with_burst(3)),
      CompiledLimit(leaky_queue(7, 1s).with_burst(3)),
      CompiledLimit(fixed_window(4, 1s)),
      CompiledLimit(sliding_counter(6, 1s)),
      CompiledLimit(sliding_log(4, 1s)),
      CompiledLimit(sliding_log(40, 2s))};
  return limits;
}

Op any_op(std::uint64_t keys) {
  const auto limit = *rc::gen::inRange<std::size_t>(0, all_limits().size());
  return {.key = key_of(*rc::gen::inRange<std::uint64_t>(0, keys) * 100 + limit),
          .limit = &all_limits()[limit],
          .cost = *rc::gen::inRange<std::uint64_t>(0, 7)};
}

/// One op of any verb, or an acquire of several limits, some of them in shadow parts.
std::vector<Op> any_request(std::uint64_t keys) {
  if (*rc::gen::inRange(0, 2) == 0) {
    Op op = any_op(keys);
    op.verb = *rc::gen::element(Verb::acquire, Verb::peek, Verb::debit, Verb::refund);
    return {op};
  }
  std::vector<Op> ops;
  const auto most = *rc::gen::inRange(2, 9);
  std::uint16_t part = *rc::gen::element<std::uint16_t>(0, 0, 0, 1);
  for (int at = 0; at < most; ++at) {
    Op op = any_op(keys);
    if (*rc::gen::inRange(0, 4) == 0) ++part;
    op.part = part;
    const bool twice = std::any_of(ops.begin(), ops.end(), [&](const Op& before) {
      return before.part == op.part && before.key == op.key;
    });
    if (!twice) ops.push_back(op);
  }
  return ops;
}

std::string text_of(const Outcome& outcome) {
  const auto& [allowed, authority, limit, capacity, remaining, retry, reset, delay] =
      outcome.decision;
  return std::to_string(static_cast<int>(outcome.status)) + (allowed ? " allowed " : " refused ") +
         std::to_string(remaining) + " of " + std::to_string(capacity) + ", retry after " +
         std::to_string(retry.count()) + ", reset after " + std::to_string(reset.count()) +
         ", delay " + std::to_string(delay.count());
}

void expect_same(const std::vector<Outcome>& found, const std::vector<Outcome>& expected) {
  for (std::size_t at = 0; at < found.size(); ++at) {
    RC_ASSERT(text_of(found[at]) == text_of(expected[at]));
  }
}

TEST(Table, AgreesWithAMapOfStates) {
  EXPECT_TRUE(rc::check([] {
    Table table({.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 50});
    Model model;
    Time now = at(0s);
    const auto keys = *rc::gen::element<std::uint64_t>(1, 3, 20);
    const auto length = *rc::gen::inRange(1, 120);
    for (int step = 0; step < length; ++step) {
      now += std::chrono::milliseconds(*rc::gen::inRange(0, 400));
      const auto ops = any_request(keys);
      expect_same(apply(table, now, ops), model.apply(now, ops));
    }
    RC_ASSERT(table.stats(now).live_evictions == 0u);
  }));
}

TEST(Table, AnIdleKeysEvictionIsUnobservable) {
  EXPECT_TRUE(rc::check([] {
    Table table({.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 50});
    Model model;
    Time now = at(0s);
    // Two limits that are idle at once after their period, in far more keys than there is room for.
    const CompiledLimit bucket(token_bucket(2, 1s));
    const CompiledLimit log(sliding_log(2, 1s));
    for (int round = 0; round < 40; ++round) {
      const auto first = *rc::gen::inRange<std::uint64_t>(0, 8000);
      for (std::uint64_t key = first; key < first + 20; ++key) {
        const std::vector<Op> ops{{.key = key_of(key), .limit = &bucket},
                                  {.key = key_of(key + 100000), .limit = &log}};
        expect_same(apply(table, now, ops), model.apply(now, ops));
      }
      now += std::chrono::milliseconds(*rc::gen::element(400, 1000, 5000));
    }
    RC_ASSERT(table.stats(now).live_evictions == 0u);
  }));
}

TEST(Table, ABatchIsItsRequestsOneAfterAnother) {
  EXPECT_TRUE(rc::check([] {
    Table one_by_one({.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 50});
    Table together({.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 50});
    std::vector<Op> all;
    std::vector<Outcome> expected;
    const auto count = *rc::gen::inRange<std::uint32_t>(0, 60);
    for (std::uint32_t request = 0; request < count; ++request) {
      auto ops = any_request(5);
      for (auto& op : ops) op.request = request;
      const auto outcomes = apply(one_by_one, at(0s), ops);
      expected.insert(expected.end(), outcomes.begin(), outcomes.end());
      all.insert(all.end(), ops.begin(), ops.end());
    }
    expect_same(apply(together, at(0s), all), expected);
  }));
}

TEST(Snapshot, ARestoredTableAgreesWithTheUninterruptedRun) {
  const TemporaryFile file;
  EXPECT_TRUE(rc::check([&] {
    Model model;
    auto table = std::make_unique<Table>(
        TableOptions{.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 50});
    Time now = at(0s);
    for (int life = 0; life < 3; ++life) {
      const auto length = *rc::gen::inRange(0, 60);
      for (int step = 0; step < length; ++step) {
        now += std::chrono::milliseconds(*rc::gen::inRange(0, 300));
        const auto ops = any_request(10);
        expect_same(apply(*table, now, ops), model.apply(now, ops));
      }
      RC_ASSERT(write_snapshot(*table, test_secret, now, file.path()).ok());
      const std::size_t size = *rc::gen::element(128, 200, 1024, 4096);
      table = std::make_unique<Table>(TableOptions{.memory_bytes = size << 10, .log_percent = 50});
      now += std::chrono::milliseconds(*rc::gen::inRange(0, 1500));
      const auto snapshot = Snapshot::read(file.path());
      RC_ASSERT(snapshot.ok() && snapshot.value().has_value());
      RC_ASSERT(snapshot.value()->secret() == test_secret);
      RC_ASSERT(snapshot.value()->restore_into(*table, now).no_room == 0u);
    }
  }));
}

}  // namespace
}  // namespace weir::store
