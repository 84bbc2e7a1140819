// SPDX-License-Identifier: Apache-2.0
#include "rules/config.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace weir::rules {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Every problem of a load, a line each.
std::string told(const LoadedConfig& loaded) {
  std::string text;
  for (const auto& problem : loaded.problems) text += problem.to_string() + '\n';
  return text;
}

std::string told(std::string_view yaml) { return told(parse_config(yaml, "weir.yaml")); }

/// The problems that the file NAME.problems beside NAME.yaml expects; none where there is no such
/// file.
std::string expected(fs::path yaml) { return content_of(yaml.replace_extension(".problems")); }

std::vector<fs::path> files_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(WEIR_TEST_DATA "/config/" + folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Loads a file by its bare name, as its problems tell it.
LoadedConfig load_beside(const fs::path& path) {
  const auto before = fs::current_path();
  fs::current_path(path.parent_path());
  auto loaded = load_config(path.filename().string());
  fs::current_path(before);
  return loaded;
}

TEST(Config, BrokenFilesAreRefusedWithEveryProblem) {
  const auto files = files_in("bad");
  EXPECT_GE(files.size(), 40u);
  for (const auto& file : files) {
    const auto loaded = load_beside(file);
    EXPECT_FALSE(loaded.config) << file;
    EXPECT_NE(expected(file), "") << file << " has no file of expected problems";
    EXPECT_EQ(told(loaded), expected(file)) << file;
  }
}

TEST(Config, GoodFilesAreTaken) {
  for (const auto& file : files_in("good")) {
    const auto loaded = load_beside(file);
    EXPECT_TRUE(loaded.config) << file;
    EXPECT_EQ(told(loaded), expected(file)) << file;
  }
}

TEST(Config, B98_DuplicatesNameBothPlaces) {
  EXPECT_EQ(told("rules:\n  - name: a\n    limits: [1/s]\n  - name: a\n    limits: [2/s]\n"),
            "weir.yaml:4:5: rules[1]: the name 'a' is taken by rules[0] at 2:5\n");
  EXPECT_EQ(told("limits:\n  a: 1/s\n  a: 2/s\n"),
            "weir.yaml:3:3: limits.a: stands here a second time; the first is at 2:3\n");
}

TEST(Config, B01_OneLimitTwiceInARuleIsAnError) {
  EXPECT_EQ(
      told("limits: {a: 1/s}\nrules:\n  - name: r\n    limits: [a, 5/min, a]\n"),
      "weir.yaml:4:24: rules[0].limits[2]: 'a': is the same limit as 'a' at 4:14; one limit stands "
      "once in a rule\n");
}

TEST(Config, B42_ZeroDeniesAllAndIsNoError) {
  const auto loaded =
      parse_config("limits: {none: 0/min, never: {rate: 0/s, burst: 1}}\n", "weir.yaml");
  EXPECT_EQ(told(loaded), "");
  ASSERT_TRUE(loaded.config);
  EXPECT_EQ(loaded.config->rules->named_limit("none")->limit.limit.count(), 0u);
}

TEST(Config, B59_DegenerateNumbersAreRefusedByName) {
  for (const auto* limit : {"10/0s", "10/0s fixed_window", "10/1ns", "1/0ms", "10/s burst 0",
                            "10/s burst -1", "0/s burst 0", "{rate: 10/0s}",
                            "{rate: 1/s, burst: 0}", "{burst: 10}", "10/", "/s", "10", ""}) {
    const auto loaded = parse_config(fmt::format("limits:\n  a: {}\n", limit), "weir.yaml");
    EXPECT_FALSE(loaded.config) << limit;
    ASSERT_FALSE(loaded.problems.empty());
    EXPECT_TRUE(loaded.problems.front().field.starts_with("limits.a")) << told(loaded);
  }
}

TEST(Config, HasDefaultsForEverythingLeftOut) {
  const auto loaded = parse_config("limits: {a: 1/s}\n", "weir.yaml");
  ASSERT_TRUE(loaded.config);
  const Config& config = *loaded.config;
  EXPECT_TRUE(config.listen.http.empty() && config.listen.resp.empty() &&
              config.listen.grpc.empty() && config.listen.admin.empty());
  EXPECT_EQ(config.loops, 0u);
  EXPECT_FALSE(config.headers.reset_as_epoch);
  EXPECT_EQ(config.headers.retry_jitter, 0s);
  EXPECT_TRUE(config.stores.empty());
  EXPECT_EQ(config.memory_bytes, std::size_t{256} << 20);
  EXPECT_EQ(config.when_full, WhenFull::evict);
  EXPECT_EQ(config.state_file, "");
  EXPECT_EQ(config.resp_password, "");
}

TEST(Config, SaysWhatTheFileSays) {
  const auto loaded = load_beside(WEIR_TEST_DATA "/config/good/forms.yaml");
  ASSERT_TRUE(loaded.config);
  const Config& config = *loaded.config;
  EXPECT_EQ(config.listen.http, (std::vector<std::string>{":0"}));
  EXPECT_EQ(config.listen.resp, (std::vector<std::string>{"[::1]:0"}));
  EXPECT_EQ(config.listen.admin, (std::vector<std::string>{"unix:admin.sock"}));
  EXPECT_EQ(config.memory_bytes, std::size_t{64} << 20);
  EXPECT_EQ(config.when_full, WhenFull::share);
  EXPECT_EQ(config.loops, 2u);
  EXPECT_TRUE(config.headers.reset_as_epoch);
  EXPECT_EQ(config.headers.retry_jitter, 5s);
  EXPECT_EQ(config.connections.most, 100u);
  EXPECT_EQ(config.connections.idle_timeout, 1min);
  EXPECT_EQ(config.connections.request_timeout, 500ms);
  EXPECT_EQ(config.resp_password, "secret");
  const auto* queue = config.rules->named_limit("queue");
  ASSERT_NE(queue, nullptr);
  EXPECT_EQ(queue->limit.limit, leaky_queue(10, 1s).with_burst(5));
}

TEST(Config, StateHasAFileAndATime) {
  const auto loaded = parse_config("state: {file: weir.state, every: 1min}\n", "weir.yaml");
  ASSERT_TRUE(loaded.config);
  EXPECT_EQ(loaded.config->state_file, "weir.state");
  EXPECT_EQ(loaded.config->state_every, 1min);
}

TEST(Config, LimitsAreNumberedFromNothingWithoutGaps) {
  const auto loaded = load_beside(WEIR_TEST_DATA "/config/good/everything.yaml");
  ASSERT_TRUE(loaded.config);
  const auto limits = loaded.config->rules->all_limits();
  std::vector<std::string> names;
  for (std::size_t at = 0; at < limits.size(); ++at) {
    EXPECT_EQ(limits[at]->index, at);
    names.push_back(limits[at]->rule + "/" + limits[at]->name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"login/login", "per-client/api", "per-client/5000/day",
                                             "per-client/100/s burst 500", "everyone/2000/s",
                                             "/api", "/login"}));
}

TEST(Config, ALimitThatSeveralPlansNameIsOneLimit) {
  const auto loaded = parse_config(
      "plans: {by: 'header:x-plan', default: free}\nlimits: {api: 10/s}\nrules:\n  - name: r\n"
      "    limits: {free: [api, 5/day], pro: [api, 50/day]}\n",
      "weir.yaml");
  ASSERT_TRUE(loaded.config) << told(loaded);
  EXPECT_EQ(loaded.config->rules->all_limits().size(), 4u);
}

TEST(Config, ManyProblemsAreCountedAndTheFirstAreTold) {
  std::string yaml = "limits:\n";
  for (int i = 0; i < 120; ++i) yaml += fmt::format("  l{}: x\n", i);
  const auto loaded = parse_config(yaml, "weir.yaml");
  EXPECT_FALSE(loaded.config);
  ASSERT_EQ(loaded.problems.size(), 101u);
  EXPECT_EQ(loaded.problems.front().line, 2);
  EXPECT_EQ(loaded.problems.back().to_string(), "weir.yaml: and 20 problems more");
  EXPECT_FALSE(loaded.problems.back().warning);
}

TEST(Config, WarningsDoNotHideErrors) {
  std::string yaml = "clients: {trusted_proxies: [";
  for (int i = 0; i < 150; ++i) yaml += "10.0.0.1/8, ";
  const auto loaded = parse_config(yaml + "]}\nrules: {}\n", "weir.yaml");
  EXPECT_FALSE(loaded.config);
  ASSERT_EQ(loaded.problems.size(), 102u);
  EXPECT_EQ(loaded.problems[100].to_string(),
            "weir.yaml:2:1: rules: is a mapping; a list of rules is wanted");
  EXPECT_EQ(loaded.problems[101].to_string(), "weir.yaml: warning: and 50 problems more");
}

TEST(Config, ListsThatMayBeEmpty) {
  EXPECT_EQ(told("listen: {http: []}\nclients: {trusted_proxies: []}\nrules: []\nlimits: {}\n"),
            "");
}

TEST(Config, WhatAlwaysMeetsTooManyLimitsIsRefused) {
  std::string yaml = "rules:\n";
  for (int rule = 0; rule < 13; ++rule) {
    yaml += fmt::format("  - name: r{}\n    limits: [1/s, 2/min, 3/h, 4/day, 5/week]\n", rule);
  }
  EXPECT_EQ(told(yaml),
            "weir.yaml: every request would meet 65 limits; at most 64 are decided together\n");
}

TEST(Config, BoundsHold) {
  const auto has = [](const std::string& yaml, std::string_view problem) {
    const auto text = told(yaml);
    EXPECT_NE(text.find(problem), text.npos) << text.substr(0, 500);
  };
  std::string rules = "rules:\n  - &a {name: a, limits: [1/s]}\n",
              costs = "rules:\n  - name: a\n    limits: [1/s]\n    cost: [";
  for (int i = 0; i < 10'000; ++i) rules += "  - *a\n";
  has(rules, "rules: has 10001 items; at most 10000 are allowed");
  for (int i = 0; i < 65; ++i) costs += "{method: GET, cost: 1}, ";
  has(costs + "]\n", "cost: has 65 items; at most 64 are allowed");
  has("rules:\n  - name: a\n    key: [ip, ip, ip, ip, ip, ip, ip, ip, ip]\n    limits: [1/s]\n",
      "key: has 9 items; at most 8 are allowed");
  std::string limits = "rules:\n  - name: a\n    limits: [";
  for (int i = 1; i <= 17; ++i) limits += fmt::format("{}/{}s, ", 18 - i, 20 - i);
  has(limits + "]\n", "limits: has 17 items; at most 16 are allowed");
  has("rules:\n  - name: " + std::string(65, 'a') + "\n    limits: [1/s]\n", "a name is 1 to 64");
  has("limits:\n  a: " + std::string(100'000, '1') + "/s\n", "is above 1000000000");
}

/// The blocks of a kind in a document.
std::vector<std::string> blocks(const std::string& text, const std::string& kind) {
  std::vector<std::string> result;
  const std::string begin = "\n```" + kind + "\n";
  for (auto at = text.find(begin); at != text.npos; at = text.find(begin, at)) {
    at += begin.size();
    result.push_back(text.substr(at, text.find("```", at) - at));
  }
  return result;
}

TEST(LoadConfig, EveryExampleOfTheDocumentationIsGood) {
  const auto text = content_of(WEIR_TEST_DATA "/../../docs/configuration.md");
  const auto examples = blocks(text, "yaml");
  EXPECT_GE(examples.size(), 14u);
  const auto folder = fs::path(testing::TempDir()) / fmt::format("weir_docs_{}", getpid());
  fs::create_directory(folder);
  std::ofstream(folder / "plans.csv") << blocks(text, "csv").at(0);
  for (const auto& example : examples) {
    const auto loaded = parse_config(example, (folder / "weir.yaml").string());
    EXPECT_EQ(told(loaded), "") << example;
    EXPECT_TRUE(loaded.config) << example;
  }
  fs::remove_all(folder);
}

TEST(LoadConfig, TellsWhyAFileCannotBeRead) {
  EXPECT_EQ(told(load_config("/nowhere/weir.yaml")),
            "/nowhere/weir.yaml: can't be read: is it there, and may it be read?\n");
  EXPECT_EQ(told(load_config(WEIR_TEST_DATA)),
            WEIR_TEST_DATA ": is a directory; a file is wanted\n");
}

TEST(LoadConfig, ReadsNoMoreThanItsBound) {
  const auto path = fs::path(testing::TempDir()) / fmt::format("weir_too_large_{}.yaml", getpid());
  std::ofstream(path) << std::string((std::size_t{4} << 20) + 1, '#');
  EXPECT_EQ(told(load_config(path.string())),
            path.string() + ": has more than 4194304 bytes, the most of a configuration\n");
  fs::remove(path);
}

}  // namespace
}  // namespace weir::rules
