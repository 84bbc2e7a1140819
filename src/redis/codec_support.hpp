// SPDX-License-Identifier: Apache-2.0
// For tests: requests asked of a real redis-server by the codec alone, beside the key table that
// is told the same in whole microseconds.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "limit/test_counter.hpp"
#include "redis/blocking_connection_support.hpp"
#include "redis/codec.hpp"
#include "redis/found.hpp"
#include "redis/server_test_support.hpp"
#include "store/table.hpp"

namespace weir::redis {

/// One server for all tests of a program.
inline const TestServer& server() {
  static const TestServer one;
  return one;
}

class CodecClient {
 public:
  CodecClient() : connection_(server().socket()) { connection_.ask({"FLUSHALL"}); }

  BlockingConnection& connection() { return connection_; }

  /// Ops that are one request; nothing where the store is broken.
  std::optional<std::vector<Outcome>> try_apply(Time now, std::vector<Op> ops) {
    std::vector<Outcome> outcomes(ops.size());
    std::vector<Found> found(ops.size());
    Question question;
    question.asked = {.now = store_time(now), .ops = ops, .outcomes = outcomes, .found = found};
    question.asked.form = form_ = codec_.ask(question.asked.now, ops, question);
    question.on_reply = [](Exchange& exchange, std::size_t command,
                           const wire::resp::Reply& reply) noexcept {
      auto& self = static_cast<Question&>(exchange);
      self.ok &= read_reply(self.asked, command, reply);
    };
    connection_.run(question);
    return question.ok ? std::optional(outcomes) : std::nullopt;
  }

  std::vector<Outcome> apply(Time now, std::vector<Op> ops) {
    auto outcomes = try_apply(now, ops);
    EXPECT_TRUE(outcomes.has_value()) << "a store error";
    return outcomes ? *outcomes : std::vector<Outcome>(ops.size());
  }

  Decision ask(Time now, const Op& op) { return apply(now, {op})[0].decision; }

  void forget(Time now, const Op& op) {
    Exchange exchange;
    codec_.forget(store_time(now), op, exchange);
    exchange.on_reply = [](Exchange&, std::size_t, const wire::resp::Reply&) noexcept {};
    connection_.run(exchange);
  }

  /// What carry.lua answers.
  std::string move(Time now, const Codec::MoveEnd& from, const Codec::MoveEnd& to) {
    struct Move : Exchange {
      std::string reply;
    } exchange;
    codec_.move(store_time(now), from, to, exchange);
    exchange.on_reply = [](Exchange& self, std::size_t, const wire::resp::Reply& reply) noexcept {
      static_cast<Move&>(self).reply = std::to_string(reply.root().integer);
    };
    connection_.run(exchange);
    return exchange.reply;
  }

  [[nodiscard]] static std::string key_of(Time now, const Op& op) {
    return std::string(key_name("w:", op, store_time(now)).view());
  }
  std::string get(Time now, const Op& op) { return connection_.ask({"GET", key_of(now, op)}); }
  /// -1: it never ends; -2: it is not there.
  Duration pttl(Time now, const Op& op) {
    return std::chrono::milliseconds{connection_.number({"PTTL", key_of(now, op)})};
  }
  [[nodiscard]] Form form() const { return form_; }

 private:
  struct Question : Exchange {
    Asked asked;
    bool ok = true;
  };

  BlockingConnection connection_;
  Codec codec_{"w:"};
  Form form_{};
};

inline Duration up_to_us(Duration wait) {
  constexpr Duration last = std::chrono::floor<std::chrono::microseconds>(Duration::max());
  return wait > last ? never : std::chrono::ceil<std::chrono::microseconds>(wait);
}

/// What a store that counts microseconds makes of a decision that is exact.
inline Decision in_us(Decision exact) {
  exact.authority = Authority::shared;
  exact.retry_after = up_to_us(exact.retry_after);
  exact.reset_after = up_to_us(exact.reset_after);
  exact.delay = up_to_us(exact.delay);
  return exact;
}

/// The key table, told the same.
class TableModel {
 public:
  std::vector<Outcome> apply(Time now, std::vector<Op> ops) {
    std::vector<Outcome> outcomes(ops.size());
    StoreBatch batch;
    batch.now = store_time(now);
    batch.ops = ops;
    batch.outcomes = outcomes;
    table_.apply(batch);
    for (Outcome& outcome : outcomes) outcome.decision = in_us(outcome.decision);
    return outcomes;
  }
  Decision ask(Time now, const Op& op) { return apply(now, {op})[0].decision; }

 private:
  store::Table table_{{.memory_bytes = std::size_t{4} << 20, .log_percent = 60}};
};

inline Key test_key(std::uint64_t number) {
  KeyBuilder builder({1, 2});
  builder.add(number);
  return builder.key();
}

}  // namespace weir::redis
