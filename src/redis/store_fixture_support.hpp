// SPDX-License-Identifier: Apache-2.0
// For tests: a shared store on a real redis-server.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "redis/blocking_store.hpp"
#include "redis/codec_support.hpp"

namespace weir::redis {

inline Options options_of(const TestServer& server) {
  Options options = parse_url("unix://" + server.socket()).value();
  options.timeout = std::chrono::seconds{2};  // the machine may be busy
  options.use_store_time = false;             // the tests tell the time
  return options;
}

/// Of a store that answers at once.
inline std::vector<Outcome> apply(Store& store, Time now, const std::vector<Op>& ops) {
  std::vector<Outcome> outcomes(ops.size());
  StoreBatch batch;
  batch.now = now;
  batch.ops = ops;
  batch.outcomes = outcomes;
  EXPECT_EQ(store.apply(batch), Store::Applied::now);
  return outcomes;
}

class StoreFixture : public testing::Test {
 protected:
  StoreFixture() { connection_.ask({"FLUSHALL"}); }

  static Op op(std::uint64_t number, const CompiledLimit& limit, Verb verb = Verb::acquire) {
    return {
        .key = test_key(number), .subject = test_key(number + 1000), .limit = &limit, .verb = verb};
  }
  Outcome ask(const Op& asked) { return apply(store_, clock_.now(), {asked})[0]; }

  const Clock& clock_ = SteadyClock::shared();
  BlockingConnection connection_{server().socket()};
  BlockingStore store_{options_of(server()), clock_};
};

}  // namespace weir::redis
