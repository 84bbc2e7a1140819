// SPDX-License-Identifier: Apache-2.0
// An engine over a small table, for tests that ask it one request at a time.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "limiter/engine.hpp"
#include "rules/config.hpp"
#include "store/table.hpp"

namespace weir::limiter {

inline std::shared_ptr<const rules::RuleSet> rules_of(const std::string& yaml) {
  const auto loaded = rules::parse_config(yaml, "test.yaml");
  for (const auto& problem : loaded.problems) {
    if (!problem.warning) ADD_FAILURE() << problem.to_string();
  }
  return loaded.config.value().rules;
}

class EngineTest : public testing::Test {
 protected:
  void load(const std::string& yaml) {
    if (engine == nullptr) {
      engine = std::make_unique<Engine>(rules_of(yaml), table, KeySecret{1, 2});
      batch = std::make_unique<Batch>(*engine);
    } else {
      engine->replace_rules(rules_of(yaml));
    }
  }

  /// What the limits say of a request of `user`.
  Verdict ask(const std::string& user, std::optional<std::uint64_t> cost = {},
              Verb verb = Verb::acquire) {
    const rules::Header header{"x-user", user};
    const rules::Request request{.method = "GET",
                                 .host = "h",
                                 .target = "/x",
                                 .headers = {&header, 1},
                                 .entries = {},
                                 .client = {},
                                 .peer = {},
                                 .cost = cost};
    batch->clear(now);
    const auto index = batch->add_request(request, verb);
    EXPECT_EQ(batch->decide(), Store::Applied::now);
    return batch->verdict(index);
  }

  /// `A` or `D` for each of `count` requests.
  std::string ask_often(int count, const std::string& user, std::uint64_t cost = 1) {
    std::string answers;
    for (int i = 0; i < count; ++i) answers += ask(user, cost).decision.allowed ? 'A' : 'D';
    return answers;
  }

  Time now{std::chrono::hours{1'000'000}};
  store::Table table{{.memory_bytes = std::size_t{1} << 20}};
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Batch> batch;
};

}  // namespace weir::limiter
