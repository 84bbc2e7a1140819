// SPDX-License-Identifier: Apache-2.0
// For tests: a Redis client's session over a real engine and table, driven by calls.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "front/resp/session.hpp"
#include "rules/config.hpp"
#include "store/table.hpp"

namespace weir::front::resp {

/// A table that answers at once, or, while `hold` is set, when `release` is called.
class HoldingStore final : public Store {
 public:
  bool hold = false;
  std::vector<std::size_t> batches;  ///< how many ops each had

  Applied apply(StoreBatch& batch) noexcept override {
    batches.push_back(batch.ops.size());
    if (hold) {
      held_.push_back(&batch);
      return Applied::later;
    }
    return table_.apply(batch);
  }
  void carry_over(Time now, std::span<const CarryOver> moves) noexcept override {
    table_.carry_over(now, moves);
  }
  void reset(const Key& key, const CompiledLimit& limit) noexcept override {
    table_.reset(key, limit);
  }

  /// Answers everything that is held, with `status`.
  void release(Outcome::Status status = Outcome::Status::decided) {
    for (auto* batch : std::exchange(held_, {})) {
      (void)table_.apply(*batch);
      for (auto& outcome : batch->outcomes) outcome.status = status;
      batch->on_complete(*batch);
    }
  }

 private:
  store::Table table_;
  std::vector<StoreBatch*> held_;
};

struct CountingWaker final : Waker {
  int wakes = 0;
  void wake() noexcept override { ++wakes; }
};

inline std::shared_ptr<const rules::RuleSet> rules_of(const std::string& yaml) {
  const auto loaded = rules::parse_config(yaml, "test.yaml");
  for (const auto& problem : loaded.problems) {
    if (!problem.warning) ADD_FAILURE() << problem.to_string();
  }
  return loaded.config.value().rules;
}

class SessionTest : public testing::Test {
 protected:
  explicit SessionTest(std::string_view password = {}) : loop(engine, password, clock, latency) {}

  /// A command as a program sends it.
  static std::string command(const std::vector<std::string_view>& words) {
    std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
    for (const auto word : words) {
      bytes.append("$").append(std::to_string(word.size())).append("\r\n");
      bytes.append(word).append("\r\n");
    }
    return bytes;
  }

  /// What is answered to bytes that are eaten whole.
  std::string send(std::string_view bytes) {
    std::string output;
    progress = session.on_bytes(now, bytes, output);
    EXPECT_EQ(progress.eaten, bytes.size());
    return output;
  }

  std::string ask(const std::vector<std::string_view>& words) { return send(command(words)); }

  /// The same for a line, typed.
  std::string type(const std::string& line) { return send(line + "\r\n"); }

  HoldingStore store;
  limiter::Engine engine{rules_of("limits:\n"
                                  "  api: 10/s burst 50\n"
                                  "  login: 5/15min sliding_log\n"
                                  "  queue: 10/s burst 3 leaky_queue\n"),
                         store, KeySecret{1, 2}};
  ManualClock clock;
  LatencyHistogram latency;
  RespLoop loop;
  CountingWaker waker;
  RespSession session{loop, 7, &waker};
  Time now{std::chrono::seconds{1'700'000'000}};
  Progress progress;
};

}  // namespace weir::front::resp
