// SPDX-License-Identifier: Apache-2.0
#include "cli/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace weir::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

struct ScenarioTest : testing::Test {
  std::string limit_problem(const std::string& line) {
    const auto limit = reader.read_limit(line);
    return limit.ok() ? "(none)" : limit.error();
  }
  std::string event_problem(const std::string& line) {
    const auto event = reader.read_event(line);
    return event.ok() ? "(none)" : event.error();
  }
  std::string request_problem(const std::string& line) {
    const auto event = reader.read_request(line);
    return event.ok() ? "(none)" : event.error();
  }
  ScenarioReader reader;
};

TEST_F(ScenarioTest, ReadsALimit) {
  const auto read = reader.read_limit(
      R"({"algorithm": "leaky_queue", "limit": 3, "period_ns": 2000000, "burst": 7, "name": "x"})");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->limit, leaky_queue(3, 2ms).with_burst(7));
  EXPECT_EQ(read->name, "x");
}

TEST_F(ScenarioTest, ALimitIsATokenBucketUnlessItSaysOtherwise) {
  const auto read = reader.read_limit(R"({"limit": 3, "period_ns": 1000000000})");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->limit, token_bucket(3, 1s));
  EXPECT_EQ(read->name, "");
  for (const std::string name : {"gcra", "leaky_bucket"}) {
    const auto other =
        reader.read_limit(R"({"limit": 3, "period_ns": 1000000000, "algorithm": ")" + name + "\"}");
    ASSERT_TRUE(other.ok());
    EXPECT_EQ(other->limit, token_bucket(3, 1s)) << name;
  }
}

TEST_F(ScenarioTest, LimitsThatCannotBeExactAreRefused) {
  EXPECT_THAT(limit_problem(R"({"limit": 1, "period_ns": 999999})"),
              HasSubstr("period_ns: 999999"));
  EXPECT_THAT(limit_problem(R"({"limit": 1000000001, "period_ns": 1000000})"),
              HasSubstr("from 0 to 1000000000"));
  EXPECT_THAT(limit_problem(R"({"limit": 0.5, "period_ns": 1000000})"), HasSubstr("whole number"));
  EXPECT_THAT(limit_problem(R"({"limit": 5, "period_ns": 1000000, "burst": 1000000001})"),
              HasSubstr("burst"));
  EXPECT_THAT(limit_problem(
                  R"({"limit": 5, "period_ns": 1000000, "burst": 1, "algorithm": "sliding_log"})"),
              HasSubstr("burst"));
}

TEST_F(ScenarioTest, ReadsAnEvent) {
  const auto event = reader.read_event(R"({"t": 12, "key": "k", "cost": 7, "verb": "refund"})");
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event->time, Time{12ns});
  EXPECT_EQ(event->key, "k");
  EXPECT_EQ(event->cost, 7u);
  EXPECT_EQ(event->verb, Verb::refund);
}

TEST_F(ScenarioTest, AnEventTakesOneUnitUnlessItSaysOtherwise) {
  const auto event = reader.read_event(R"({"t": 0, "key": ""})");
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event->cost, 1u);
  EXPECT_EQ(event->verb, Verb::acquire);
}

TEST_F(ScenarioTest, NumbersKeepAll64Bits) {
  rc::check([this](std::uint64_t cost, std::uint64_t time_bits) {
    const auto time = time_bits >> 2;
    const auto event = reader.read_event("{\"key\": \"\", \"cost\": " + std::to_string(cost) +
                                         ", \"t\": " + std::to_string(time) + "}");
    RC_ASSERT(event.ok());
    RC_ASSERT(event->cost == cost);
    RC_ASSERT(event->time.time_since_epoch().count() == static_cast<std::int64_t>(time));
  });
}

TEST_F(ScenarioTest, TimesBeyondAllTimeAreRefused) {
  EXPECT_EQ(event_problem(R"({"key": "", "t": 4611686018427387904})"), "(none)");
  EXPECT_THAT(event_problem(R"({"key": "", "t": 4611686018427387905})"), StartsWith("t: "));
  EXPECT_THAT(event_problem(R"({"key": "", "t": -1})"), StartsWith("t: -1 is not a whole number"));
}

TEST_F(ScenarioTest, NullIsAbsent) {
  EXPECT_EQ(event_problem(R"({"t": 0, "key": "", "cost": null, "force": null})"), "(none)");
  EXPECT_THAT(event_problem(R"({"t": null, "key": ""})"), StartsWith("t: missing"));
}

TEST_F(ScenarioTest, TheFirstFaultIsTold) {
  EXPECT_THAT(event_problem(R"({"t": "x", "key": 1, "cost": -1})"), StartsWith("t: \"x\" is not"));
}

TEST_F(ScenarioTest, AFaultyValueIsQuotedInPart) {
  const auto told =
      event_problem(R"({"t": 0, "key": "", "cost": ")" + std::string(5000, 'x') + "\"}");
  EXPECT_THAT(told, StartsWith("cost: \"xxx"));
  EXPECT_LT(told.size(), 200u);
}

TEST_F(ScenarioTest, ReadsARequest) {
  const auto event = reader.read_request(
      R"({"t": 5, "method": "GET", "path": "/a?b", "host": "h", "ip": "198.18.0.1", "cost": 2,
          "headers": {"one": "1", "two": ["2", "3"], "none": []}, "entries": {"user": "u"}})");
  ASSERT_TRUE(event.ok());
  const auto& request = event->request;
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/a?b");
  EXPECT_EQ(request.host, "h");
  EXPECT_EQ(request.client->to_string(), "198.18.0.1");
  EXPECT_FALSE(request.peer);
  EXPECT_EQ(request.cost, 2u);
  std::string headers;
  for (const auto& [name, value] : request.headers) {
    headers.append(name).append("=").append(value).append(" ");
  }
  EXPECT_EQ(headers, "one=1 two=2 two=3 ");
  ASSERT_EQ(request.entries.size(), 1u);
  EXPECT_EQ(request.entries[0].value, "u");
}

TEST_F(ScenarioTest, NothingOfARequestIsLeftForTheNext) {
  ASSERT_TRUE(
      reader.read_request(R"({"t": 1, "headers": {"a": "b"}, "entries": {"c": "d"}})").ok());
  const auto event = reader.read_request(R"({"t": 2})");
  ASSERT_TRUE(event.ok());
  EXPECT_TRUE(event->request.headers.empty());
  EXPECT_TRUE(event->request.entries.empty());
  EXPECT_FALSE(event->request.cost);
}

TEST_F(ScenarioTest, TheClientIsGivenOnce) {
  EXPECT_THAT(request_problem(R"({"t": 0, "ip": "::1", "peer": "::2"})"), HasSubstr("either"));
  EXPECT_THAT(request_problem(R"({"t": 0, "peer": "::1::"})"), StartsWith("peer: \"::1::\""));
}

TEST_F(ScenarioTest, WhatIsNoJsonObjectIsSaidWithItsPlace) {
  EXPECT_THAT(event_problem(R"({"t": 1, oops})"), StartsWith("no JSON at column 10"));
  EXPECT_THAT(event_problem("7"), HasSubstr("object"));
  EXPECT_THAT(event_problem(std::string(100'000, '[')), HasSubstr("no JSON"));
}

TEST_F(ScenarioTest, AnyBytesAreAnEventOrAProblem) {
  rc::check([this](const std::string& line) {
    RC_ASSERT(!limit_problem(line).empty());
    RC_ASSERT(!event_problem(line).empty());
    RC_ASSERT(!request_problem(line).empty());
  });
}

}  // namespace
}  // namespace weir::cli
