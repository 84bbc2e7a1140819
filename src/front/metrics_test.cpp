// SPDX-License-Identifier: Apache-2.0
#include "front/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace weir::front {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const Metrics& metrics) {
  std::istringstream text(prometheus_text(metrics));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

double value_of(const Metrics& metrics, const std::string& name) {
  for (const auto& line : lines_of(metrics)) {
    if (line.starts_with(name + " ")) return std::stod(line.substr(name.size() + 1));
  }
  ADD_FAILURE() << "no " << name;
  return -1;
}

TEST(Metrics, DecisionsAreToldByRuleLimitAndOutcome) {
  Metrics metrics;
  metrics.decisions = {{.rule = "per-client",
                        .limit = "api",
                        .shared = true,
                        .allowed = 7,
                        .refused = 3,
                        .unavailable = 1,
                        .fallback = 2},
                       {.rule = "", .limit = "*", .shadow = true, .allowed = 5}};
  const auto lines = lines_of(metrics);
  const auto line = [](const char* outcome, const char* value) {
    return R"(weir_decisions_total{rule="per-client",limit="api",outcome=")" +
           std::string(outcome) + R"(",shadow="false"} )" + value;
  };
  EXPECT_THAT(lines, Contains(line("allowed", "7")));
  EXPECT_THAT(lines, Contains(line("refused", "3")));
  EXPECT_THAT(lines, Contains(line("unavailable", "1")));
  EXPECT_THAT(
      lines,
      Contains(R"(weir_decisions_total{rule="",limit="*",outcome="allowed",shadow="true"} 5)"));
  EXPECT_THAT(lines, Contains("# TYPE weir_decisions_total counter"));
}

TEST(Metrics, DecisionsOfAFailurePolicyAreToldForSharedLimits) {
  Metrics metrics;
  metrics.decisions = {{.rule = "r", .limit = "l", .shared = true, .fallback = 2},
                       {.rule = "mine", .limit = "l"}};
  EXPECT_THAT(lines_of(metrics),
              Contains(R"(weir_fallback_decisions_total{rule="r",limit="l"} 2)"));
  EXPECT_THAT(prometheus_text(metrics), Not(HasSubstr(R"(fallback_decisions_total{rule="mine")")));
}

TEST(Metrics, SharedStoresAreToldByTheirUrl) {
  Metrics metrics;
  EXPECT_THAT(prometheus_text(metrics), Not(HasSubstr("weir_store")));
  metrics.stores = {{.store = "redis://a", .in_reach = false, .timed_out = 4}};
  const auto lines = lines_of(metrics);
  EXPECT_THAT(lines, Contains(R"(weir_store_up{store="redis://a"} 0)"));
  EXPECT_THAT(lines,
              Contains(R"(weir_store_questions_total{store="redis://a",end="timed_out"} 4)"));
}

TEST(Metrics, NamesFromTheConfigurationAreEscaped) {
  Metrics metrics;
  metrics.decisions = {{.rule = "a\"b\\c\nd", .limit = "l", .allowed = 1}};
  EXPECT_THAT(prometheus_text(metrics), HasSubstr(R"(rule="a\"b\\c\nd")"));
}

TEST(Metrics, B110_LatencyIsASumOfSecondsAndACountOfDecisions) {
  LatencyBook book;
  book.open().observe(50ms, 100);
  Metrics metrics;
  metrics.latency = book.counts();
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_decision_duration_seconds_count"), 100);
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_decision_duration_seconds_sum"), 5);
  const auto lines = lines_of(metrics);
  EXPECT_THAT(lines, Contains(R"(weir_decision_duration_seconds_bucket{le="0.025"} 0)"));
  EXPECT_THAT(lines, Contains(R"(weir_decision_duration_seconds_bucket{le="0.05"} 100)"));
  EXPECT_THAT(lines, Contains(R"(weir_decision_duration_seconds_bucket{le="1"} 100)"));
  EXPECT_THAT(lines, Contains(R"(weir_decision_duration_seconds_bucket{le="+Inf"} 100)"));
}

TEST(Metrics, WhatTakesLongerThanEveryBucketIsCountedToo) {
  LatencyBook book;
  book.open().observe(1min, 2);
  Metrics metrics;
  metrics.latency = book.counts();
  EXPECT_THAT(lines_of(metrics), Contains(R"(weir_decision_duration_seconds_bucket{le="1"} 0)"));
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_decision_duration_seconds_count"), 2);
}

TEST(Metrics, TableReloadsAndConnections) {
  Metrics metrics;
  metrics.version = "1.2.3";
  metrics.table = {.keys = 10, .slots = 100, .evictions = 3, .bytes = std::uint64_t{256} << 20};
  metrics.reloads = {.succeeded = 4,
                     .failed = 1,
                     .last_succeeded = false,
                     .last_success = Time{1'700'000'000'500ms}};
  metrics.doors = {{"http", 5}, {"resp", 6}};
  metrics.connections_refused = 9;
  metrics.exempt = 11;
  metrics.forbidden = 12;
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_keys"), 10);
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_table_slots"), 100);
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_evictions_total"), 3);
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_table_bytes"), 268435456);
  EXPECT_DOUBLE_EQ(value_of(metrics, R"(weir_config_reloads_total{result="success"})"), 4);
  EXPECT_DOUBLE_EQ(value_of(metrics, R"(weir_config_reloads_total{result="failure"})"), 1);
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_config_last_reload_success"), 0);
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_config_last_reload_timestamp_seconds"), 1'700'000'000.5);
  EXPECT_DOUBLE_EQ(value_of(metrics, R"(weir_connections{door="http"})"), 5);
  EXPECT_DOUBLE_EQ(value_of(metrics, R"(weir_connections{door="resp"})"), 6);
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_connections_refused_total"), 9);
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_requests_exempt_total"), 11);
  EXPECT_DOUBLE_EQ(value_of(metrics, "weir_requests_forbidden_total"), 12);
  EXPECT_DOUBLE_EQ(value_of(metrics, R"(weir_build_info{version="1.2.3"})"), 1);
}

TEST(Metrics, WhatTheSystemSaysOfTheProcess) {
  EXPECT_GT(value_of({}, "process_resident_memory_bytes"), 1 << 20);
  EXPECT_GT(value_of({}, "process_cpu_seconds_total"), 0);
}

TEST(Metrics, EveryFamilyHasHelpAndType) {
  Metrics metrics;
  metrics.decisions = {{"r", "l", false, 1, 1, 1}};
  std::string last_type;
  for (const auto& line : lines_of(metrics)) {
    if (line.starts_with("# TYPE ")) {
      last_type = line.substr(7, line.find(' ', 7) - 7);
    } else if (!line.starts_with('#')) {
      EXPECT_TRUE(line.starts_with(last_type)) << line;
    }
  }
  EXPECT_THAT(last_type, Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace weir::front
