// SPDX-License-Identifier: Apache-2.0
// `store` and `on_store_failure`: where the counters of each limit stand.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "rules/config.hpp"

namespace weir::rules {
namespace {

using namespace std::chrono_literals;

constexpr const char* shared_file =
    "store: {url: 'redis://a', instances: 4}\non_store_failure: deny\n";

std::string faults(const std::string& yaml, const Overrides& overrides = {}) {
  std::string text;
  for (const auto& problem : parse_config(yaml, "f", overrides).problems) {
    text +=
        fmt::format("{}{}: {}\n", problem.warning ? "warning: " : "", problem.field, problem.text);
  }
  return text;
}

bool names(const std::string& text, std::string_view what) {
  return text.find(what) != std::string::npos;
}

const RuleLimit& only_limit(const LoadedConfig& loaded) {
  return *loaded.config->rules->all_limits().front();
}

TEST(Store, IsMemoryUnlessItIsNamed) {
  for (const auto* yaml : {"", "store: memory\n", "store: {url: memory}\n"}) {
    const auto loaded = parse_config(std::string(yaml) + "limits: {a: 1/s}\n", "f");
    ASSERT_TRUE(loaded.config) << yaml;
    EXPECT_TRUE(loaded.config->stores.empty());
    EXPECT_FALSE(only_limit(loaded).shared);
    EXPECT_FALSE(loaded.config->rules->asked_store());
  }
}

TEST(Store, RefusesWhatIsNeitherMemoryNorAUrl) {
  for (const auto* store : {"Memory", "[memory]", "localhost:6379", "{}", "3"}) {
    EXPECT_TRUE(names(faults(fmt::format("store: {}\n", store)), "redis://HOST:PORT")) << store;
  }
  EXPECT_TRUE(names(faults("store: {url: 'redis://a', modus: direct}\n"), "modus"));
  EXPECT_FALSE(faults("store: {url: 'redis://a', mode: lease}\non_store_failure: deny\n").empty());
}

TEST(Store, ASharedRuleWithoutAFailurePolicyIsRefused) {
  const auto text = faults(std::string(shared_file) + "rules:\n  - {name: r, limits: [1/s]}\n");
  EXPECT_TRUE(names(text, "rules[0]: 'on_store_failure' is missing")) << text;
  EXPECT_EQ(faults(std::string(shared_file) +
                   "rules:\n  - {name: r, limits: [1/s], on_store_failure: allow}\n"),
            "");
}

TEST(Store, LimitsWithoutARuleNeedAPolicyToo) {
  EXPECT_TRUE(names(faults("store: redis://a\n"), "on_store_failure: is missing"));
  EXPECT_EQ(faults("store: redis://a\non_store_failure: allow\n"), "");
}

TEST(Store, ALocalShareNeedsTheNumberOfInstances) {
  EXPECT_TRUE(names(faults("store: redis://a\non_store_failure: local\n"), "how many instances"));
  EXPECT_TRUE(names(faults("store: redis://a\non_store_failure: deny\nrules:\n"
                           "  - {name: r, limits: [1/s], on_store_failure: local}\n"),
                    "how many instances"));
  const auto loaded = parse_config(
      "store: {url: 'redis://a', instances: 4}\non_store_failure: local\nlimits: {a: 100/s}\n",
      "f");
  ASSERT_TRUE(loaded.config);
  ASSERT_TRUE(only_limit(loaded).shared);
  EXPECT_EQ(only_limit(loaded).shared->share, token_bucket(25, 1s));
  EXPECT_EQ(loaded.config->rules->asked_store()->of(fixed_window(8, 1s)).share,
            fixed_window(2, 1s));
}

TEST(Store, ARuleMayNameItsOwn) {
  const auto loaded = parse_config(std::string(shared_file) +
                                       "rules:\n"
                                       "  - {name: mine, limits: [1/s], store: memory}\n"
                                       "  - {name: other, limits: [2/s], store: 'redis://b', "
                                       "on_store_failure: local}\n"
                                       "  - {name: same, limits: [3/s], store: 'redis://a', "
                                       "on_store_failure: allow}\n",
                                   "f");
  ASSERT_TRUE(loaded.config) << loaded.problems.front().to_string();
  const auto limits = loaded.config->rules->all_limits();
  EXPECT_FALSE(limits[0]->shared);
  EXPECT_EQ(limits[1]->shared->store, 1);
  EXPECT_EQ(limits[1]->shared->on_failure, OnStoreFailure::local);
  EXPECT_EQ(limits[1]->shared->share, token_bucket(2, 4s).with_burst(1));
  EXPECT_EQ(limits[2]->shared->store, 0);
  ASSERT_EQ(loaded.config->stores.size(), 2u);
  EXPECT_EQ(loaded.config->stores[1].url, "redis://b");
  EXPECT_EQ(loaded.config->stores[1].line, 5);
}

TEST(Store, APolicyInMemoryIsAWarning) {
  EXPECT_TRUE(names(faults("on_store_failure: deny\nlimits: {a: 1/s}\n"), "warning: "));
  EXPECT_TRUE(names(faults("rules:\n  - {name: r, limits: [1/s], on_store_failure: deny}\n"),
                    "warning: rules[0].on_store_failure: has no effect"));
}

TEST(Store, WhatTheCommandLineLacksIsAskedOfIt) {
  const Overrides shared{.store_url = "redis://c", .on_store_failure = {}};
  const auto loaded = parse_config("", "", shared);
  ASSERT_FALSE(loaded.problems.empty());
  const auto text = parse_config("limits: {a: 1/s}\n", "", shared).problems.front().to_string();
  EXPECT_TRUE(text.starts_with("--on-store-failure: is missing")) << text;
}

TEST(Store, TheCommandLineWins) {
  const Overrides shared{.store_url = "redis://c", .on_store_failure = OnStoreFailure::allow};
  const auto loaded = parse_config("rules:\n  - {name: r, limits: [1/s]}\n", "f", shared);
  ASSERT_TRUE(loaded.config);
  EXPECT_EQ(loaded.config->stores.front().url, "redis://c");
  EXPECT_EQ(only_limit(loaded).shared->on_failure, OnStoreFailure::allow);
  const Overrides memory{.store_url = "memory", .on_store_failure = {}};
  EXPECT_TRUE(parse_config(shared_file, "f", memory).config->stores.empty());
}

TEST(Store, HasItsSettings) {
  const auto loaded = parse_config(
      "store: {url: 'redis://a', secret: s, timeout: 20ms, deny_cache: 0s, fallback_memory: 1MiB}\n"
      "on_store_failure: deny\n",
      "f");
  ASSERT_TRUE(loaded.config) << loaded.problems.front().to_string();
  const auto& store = loaded.config->stores.front();
  EXPECT_EQ(store.secret, "s");
  EXPECT_EQ(store.timeout, Duration{20ms});
  EXPECT_EQ(store.deny_cache, Duration{0s});
  EXPECT_EQ(store.fallback_bytes, std::size_t{1} << 20);
}

}  // namespace
}  // namespace weir::rules
