// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front/http/session_fixture.hpp"

namespace weir::front {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto config = R"(
clients: {trusted_proxies: [10.0.0.0/8]}
limits:
  api: 10/s burst 50
  login: {rate: 5/15min, algorithm: sliding_log}
rules:
  - {name: health, match: {path: /healthz}, exempt: true}
  - name: per-client
    match: {path: /v1/**}
    key: "header:x-api-key | ip"
    limits: [3/h fixed_window]
  - {name: strict, match: {path: /strict}, key: "header:x-user", missing: deny, limits: [1/h]}
  - {name: tenant, match: {path: /tenant}, key: "entry:tenant", missing: skip, limits: [2/h]}
  - {name: seen, match: {path: /v1/**}, limits: [1/h], shadow: true}
)";

class CheckTest : public HttpTest {
 protected:
  void SetUp() override { load(config); }

  boost::json::object one(std::string_view item) {
    const auto results = check("{\"requests\": [" + std::string(item) + "]}");
    EXPECT_EQ(results.size(), 1u);
    return results.at(0).as_object();
  }

  std::string complaint_of(std::string_view item) {
    return complaint(R"({"requests": [{"limit": "api"}, )" + std::string(item) + "]}");
  }
};

TEST_F(CheckTest, ANamedLimit) {
  EXPECT_EQ(one(R"({"limit": "api", "key": ["user-1"], "cost": 2, "verb": "acquire"})"),
            boost::json::parse(R"({"allowed": true, "limit": "api", "capacity": 50, "remaining": 48,
                                   "retry_after_ns": 0, "reset_after_ns": 200000000, "delay_ns": 0,
                                   "authority": "local"})"));
}

TEST_F(CheckTest, ALimitThatComesAlong) {
  EXPECT_EQ(one(R"({"rate": "1/s burst 2 leaky_queue", "key": "k", "cost": 2})").at("delay_ns"), 0);
  EXPECT_EQ(
      one(R"({"rate": "1/s burst 2 leaky_queue", "key": ["k"]})"),
      boost::json::parse(R"({"allowed": true, "limit": "1/s burst 2 leaky_queue", "capacity": 2,
                             "remaining": 0, "retry_after_ns": 0, "reset_after_ns": 3000000000,
                             "delay_ns": 2000000000, "authority": "local"})"));
}

TEST_F(CheckTest, ARequestTellsEveryLimitItMet) {
  constexpr auto item = R"({"request": {"method": "POST", "host": "h", "path": "/v1/x",
                            "headers": {"X-Api-Key": "a"}, "ip": "198.18.0.1"}})";
  EXPECT_EQ(one(item), boost::json::parse(R"({
      "allowed": true, "limit": "3/h fixed_window", "rule": "per-client", "capacity": 3,
      "remaining": 2, "retry_after_ns": 0, "reset_after_ns": 2800000000000, "delay_ns": 0,
      "authority": "local", "hits": [
        {"limit": "3/h fixed_window", "rule": "per-client", "cost": 1, "shadow": false,
         "allowed": true, "capacity": 3, "remaining": 2, "retry_after_ns": 0,
         "reset_after_ns": 2800000000000, "delay_ns": 0},
        {"limit": "1/h", "rule": "seen", "cost": 1, "shadow": true, "allowed": true, "capacity": 1,
         "remaining": 0, "retry_after_ns": 0, "reset_after_ns": 3600000000000, "delay_ns": 0}]})"));
  one(item);
  one(item);
  const auto refused = one(item);
  EXPECT_EQ(refused.at("allowed"), false);
  EXPECT_EQ(refused.at("retry_after_ns"), 2'800'000'000'000);
}

TEST_F(CheckTest, ARequestThatNoLimitMeets) {
  const auto free = one(R"({"request": {"path": "/free"}})");
  EXPECT_EQ(free, boost::json::parse(R"({
      "allowed": true, "limit": null, "capacity": null, "remaining": null, "retry_after_ns": 0,
      "reset_after_ns": 0, "delay_ns": 0, "authority": "local", "hits": []})"));
  EXPECT_EQ(one(R"({"request": {"path": "/healthz"}})").at("rule"), "health");
}

TEST_F(CheckTest, ARequestWithoutItsKeyIsForbidden) {
  const auto result = one(R"({"request": {"path": "/strict"}})");
  EXPECT_EQ(result.at("allowed"), false);
  EXPECT_EQ(result.at("reason"), "forbidden");
  EXPECT_EQ(result.at("rule"), "strict");
  EXPECT_TRUE(result.at("retry_after_ns").is_null());
}

TEST_F(CheckTest, EntriesHeadersAndAddressesReachTheRules) {
  EXPECT_EQ(one(R"({"request": {"path": "/tenant", "entries": {"tenant": "t"}}})").at("rule"),
            "tenant");
  EXPECT_TRUE(one(R"({"request": {"path": "/tenant"}})").at("limit").is_null());
  // Two addresses behind a trusted proxy, then the same one told in another way.
  const auto remaining = [this](std::string_view request) {
    return one("{\"request\": " + std::string(request) + "}").at("remaining").to_number<int>();
  };
  EXPECT_EQ(remaining(
                R"({"path": "/v1/y", "peer": "10.0.0.1:443",
              "headers": {"x-forwarded-for": ["9.9.9.9", "1.2.3.4"]}})"),
            2);
  EXPECT_EQ(remaining(R"({"path": "/v1/y", "ip": "1.2.3.4"})"), 1);
  EXPECT_EQ(remaining(R"({"path": "/v1/y", "ip": "9.9.9.9"})"), 2);
}

TEST_F(CheckTest, ACostBesideTheRequestOrInItReplacesTheRules) {
  EXPECT_EQ(one(R"({"request": {"path": "/v1/c", "ip": "1.1.1.1"}, "cost": 2})").at("remaining"),
            1);
  EXPECT_EQ(one(R"({"request": {"path": "/v1/c", "ip": "1.1.1.1", "cost": 0}})").at("remaining"),
            1);
}

TEST_F(CheckTest, TheFourVerbs) {
  const auto remaining = [this](std::string_view verb, int cost) {
    const auto result = one(R"({"limit": "api", "key": "v", "verb": ")" + std::string(verb) +
                            R"(", "cost": )" + std::to_string(cost) + "}");
    return result.at("remaining").to_number<int>();
  };
  EXPECT_EQ(remaining("acquire", 10), 40);
  EXPECT_EQ(remaining("peek", 10), 40);
  EXPECT_EQ(remaining("debit", 50), 0);
  EXPECT_EQ(remaining("acquire", 0), 0);
  EXPECT_EQ(remaining("refund", 15), 5);
}

TEST_F(CheckTest, B03_NeverIsNull) {
  const auto result = one(R"({"limit": "api", "key": "n", "cost": 51})");
  EXPECT_EQ(result.at("allowed"), false);
  EXPECT_TRUE(result.at("retry_after_ns").is_null());
  EXPECT_EQ(result.at("remaining"), 50);
  EXPECT_EQ(one(R"({"limit": "api", "key": "n", "cost": 50})").at("allowed"), true);
}

TEST_F(CheckTest, B11_TheLargestCostIsRefusedNotWrapped) {
  const auto result = one(R"({"limit": "api", "key": "w", "cost": 18446744073709551615})");
  EXPECT_EQ(result.at("allowed"), false);
  EXPECT_EQ(one(R"({"limit": "api", "key": "w"})").at("remaining"), 49);
}

TEST_F(CheckTest, B01_SeveralLimitsAreAllOrNothing) {
  constexpr auto both = R"({"all": [{"limit": "api", "key": "x"},
                                    {"rate": "1/h fixed_window", "key": "x"}]})";
  EXPECT_EQ(one(both).at("allowed"), true);
  const auto refused = one(both);
  EXPECT_EQ(refused.at("allowed"), false);
  EXPECT_EQ(refused.at("limit"), "1/h fixed_window");
  EXPECT_EQ(refused.at("hits").as_array().size(), 2u);
  EXPECT_EQ(one(R"({"limit": "api", "key": "x", "verb": "peek"})").at("remaining"), 49);
}

TEST_F(CheckTest, ResultsStandInTheOrderOfTheRequests) {
  std::string items;
  for (int i = 0; i < 100; ++i) {
    items += (i > 0 ? "," : "") + std::string(R"({"rate": "100/h", "key": "order"})");
  }
  const auto results = check("{\"requests\": [" + items + "]}");
  ASSERT_EQ(results.size(), 100u);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(results[static_cast<std::size_t>(i)].at("remaining"), 99 - i);
  EXPECT_EQ(check(R"({"requests": []})").size(), 0u);
}

TEST_F(CheckTest, NamesAreEscaped) {
  load("limits: {'a\"b': 1/s}\n");
  EXPECT_EQ(one(R"({"limit": "a\"b"})").at("limit"), "a\"b");
}

TEST_F(CheckTest, AMalformedItemChargesNothing) {
  EXPECT_THAT(
      complaint(R"({"requests": [{"limit": "api", "key": "m"}, {"limit": "api", "cost": -1}]})"),
      StartsWith("requests[1].cost: must be a whole number from 0 to 18446744073709551615"));
  EXPECT_EQ(one(R"({"limit": "api", "key": "m", "verb": "peek"})").at("remaining"), 50);
}

TEST_F(CheckTest, B27_CostsAreWholeAndNotNegative) {
  for (const auto* cost : {"-1", "1.5", "1e3", "18446744073709551616", "\"1\"", "null", "[1]"}) {
    EXPECT_THAT(complaint_of(R"({"limit": "api", "cost": )" + std::string(cost) + "}"),
                StartsWith("requests[1].cost: must be a whole number"))
        << cost;
  }
}

TEST_F(CheckTest, UnknownNamesAreToldWithWhatWasMeant) {
  EXPECT_EQ(
      complaint_of(R"({"limit": "apii"})"),
      "requests[1].limit: there is no limit 'apii' in the configuration; did you mean 'api'?");
  EXPECT_EQ(complaint_of(R"({"limt": "api"})"),
            "requests[1]: unknown field 'limt'; did you mean 'limit'?");
  EXPECT_EQ(complaint_of(R"({"request": {"metod": "GET"}})"),
            "requests[1].request: unknown field 'metod'; did you mean 'method'?");
  EXPECT_THAT(complaint_of(R"({"limit": "api", "verb": "aquire"})"),
              HasSubstr("not 'aquire'; did you mean 'acquire'?"));
  EXPECT_THAT(complaint(R"({"request": []})"), HasSubstr("did you mean 'requests'?"));
  EXPECT_THAT(complaint_of(R"({"rate": "10/sec"})"), StartsWith("requests[1].rate: "));
}

TEST_F(CheckTest, WrongKindsAreToldWithTheirPlace) {
  EXPECT_EQ(complaint("[]"), "must be an object with 'requests', not an array");
  EXPECT_EQ(complaint("{}"), "requests: is missing");
  EXPECT_EQ(complaint(R"({"requests": {}})"), "requests: must be an array, not an object");
  EXPECT_EQ(complaint_of("7"), "requests[1]: must be an object, not a number");
  EXPECT_EQ(complaint_of(R"({"limit": 7})"),
            "requests[1].limit: must be a limit's name, not a number");
  EXPECT_EQ(complaint_of(R"({"rate": true})"),
            "requests[1].rate: must be a string like '10/s burst 50', not a boolean");
  EXPECT_EQ(complaint_of(R"({"limit": "api", "key": [1]})"),
            "requests[1].key: must be a list of strings, not a number");
  EXPECT_EQ(complaint_of(R"({"limit": "api", "key": {}})"),
            "requests[1].key: must be a string or a list of strings, not an object");
  EXPECT_EQ(complaint_of(R"({"limit": "api", "verb": 1})"),
            "requests[1].verb: must be a string, not a number");
  EXPECT_EQ(complaint_of(R"({"request": "x"})"),
            "requests[1].request: must be an object, not a string");
  EXPECT_EQ(complaint_of(R"({"request": {"path": 1}})"),
            "requests[1].request.path: must be a string, not a number");
  EXPECT_EQ(complaint_of(R"({"request": {"headers": []}})"),
            "requests[1].request.headers: must be an object, not an array");
  EXPECT_EQ(complaint_of(R"({"request": {"headers": {"a": 1}}})"),
            "requests[1].request.headers.a: must be a string or a list of strings, not a number");
  EXPECT_EQ(complaint_of(R"({"request": {"headers": {"a": [null]}}})"),
            "requests[1].request.headers.a: must be a list of strings, not null");
  EXPECT_EQ(complaint_of(R"({"request": {"entries": {"a": ["b"]}}})"),
            "requests[1].request.entries.a: must be a string, not an array");
  EXPECT_EQ(complaint_of(R"({"request": {"ip": 1}})"),
            "requests[1].request.ip: must be a string, not a number");
  EXPECT_EQ(complaint_of(R"({"all": {}})"), "requests[1].all: must be an array, not an object");
  EXPECT_EQ(complaint_of(R"({"all": [7]})"), "requests[1].all[0]: must be an object, not a number");
}

TEST_F(CheckTest, ValuesThatCannotBe) {
  EXPECT_EQ(complaint_of(R"({"request": {"ip": "1.2.3"}})"),
            "requests[1].request.ip: '1.2.3' is no IP address");
  EXPECT_EQ(complaint_of(R"({"request": {"ip": "1.2.3.4", "peer": "1.2.3.4"}})"),
            "requests[1].request.peer: and 'ip' exclude each other");
  EXPECT_EQ(complaint_of(R"({"request": {"method": "G T"}})"),
            "requests[1].request.method: is not the name of a method");
  EXPECT_EQ(complaint_of(R"({"request": {"headers": {"a b": "c"}}})"),
            "requests[1].request.headers: 'a b' is not the name of a header field");
  EXPECT_EQ(complaint_of(R"({"request": {"cost": 1}, "cost": 1})"),
            "requests[1].request.cost: stands beside 'request' already");
  EXPECT_EQ(complaint_of(R"({"request": {}, "key": "k"})"),
            "requests[1].key: is made by the rules; it belongs to a limit");
  EXPECT_EQ(complaint_of(R"({"request": {"cost": -1}})").substr(0, 25),
            "requests[1].request.cost:");
}

TEST_F(CheckTest, ExactlyOneThingIsAskedByAnItem) {
  EXPECT_THAT(complaint_of("{}"), StartsWith("requests[1]: exactly one of "));
  EXPECT_THAT(complaint_of(R"({"limit": "api", "rate": "1/s"})"),
              StartsWith("requests[1]: exactly one"));
  EXPECT_THAT(complaint_of(R"({"all": [{"limit": "api"}, {}]})"),
              StartsWith("requests[1].all[1]: exactly one of "));
  EXPECT_EQ(complaint_of(R"({"all": []})"), "requests[1].all: is empty");
  EXPECT_THAT(complaint_of(R"({"all": [{"all": []}]})"),
              StartsWith("requests[1].all[0]: unknown field 'all'"));
  EXPECT_THAT(complaint_of(R"({"all": [{"limit": "api", "verb": "peek"}]})"),
              StartsWith("requests[1].all[0]: unknown field 'verb'"));
  EXPECT_EQ(complaint_of(R"({"all": [{"limit": "api"}], "cost": 1})"),
            "requests[1].cost: belongs into each member of 'all'");
  EXPECT_EQ(complaint_of(R"({"all": [{"limit": "api"}], "key": "k"})"),
            "requests[1].key: belongs into each member of 'all'");
}

TEST_F(CheckTest, NothingIsThereTwice) {
  EXPECT_EQ(complaint_of(R"({"limit": "api", "cost": 1, "cost": 100})"),
            "requests[1].cost: is there twice");
  EXPECT_EQ(complaint(R"({"requests": [], "requests": []})"), "requests: is there twice");
  EXPECT_EQ(complaint_of(R"({"request": {"headers": {"a": "1", "a": "2"}}})"),
            "requests[1].request.headers: 'a' is there twice");
  EXPECT_EQ(complaint_of(R"({"request": {"entries": {"a": "1", "b": "2", "a": "3"}}})"),
            "requests[1].request.entries: 'a' is there twice");
}

TEST_F(CheckTest, SizesAreBounded) {
  const auto repeated = [](std::string_view item, int count) {
    std::string items(item);
    for (int i = 1; i < count; ++i) items += "," + std::string(item);
    return items;
  };
  const auto items = [&](int count) {
    return "{\"requests\": [" + repeated(R"({"limit": "api"})", count) + "]}";
  };
  EXPECT_EQ(check(items(1000)).size(), 1000u);
  EXPECT_EQ(complaint(items(1001)), "requests[1000]: one call asks at most 1000 times");
  EXPECT_EQ(
      complaint("{\"requests\": [{\"all\": [" + repeated(R"({"limit": "api"})", 1001) + "]}]}"),
      "requests[0].all[1000]: one call asks at most 1000 times");
  EXPECT_EQ(complaint_of(R"({"limit": "api", "key": [)" + repeated("\"k\"", 17) + "]}"),
            "requests[1].key: has more than 16 parts");
  std::string fields, entries;
  for (int i = 0; i < 129; ++i) {
    fields += (i > 0 ? ",\"h" : "\"h") + std::to_string(i) + "\":\"v\"";
    if (i < 65) entries += (i > 0 ? ",\"e" : "\"e") + std::to_string(i) + "\":\"v\"";
  }
  EXPECT_EQ(complaint_of(R"({"request": {"headers": {)" + fields + "}}}"),
            "requests[1].request.headers: has more than 128 fields");
  EXPECT_EQ(complaint_of(R"({"request": {"headers": {"a": [)" + repeated("\"v\"", 129) + "]}}}"),
            "requests[1].request.headers: has more than 128 fields");
  EXPECT_EQ(complaint_of(R"({"request": {"entries": {)" + entries + "}}}"),
            "requests[1].request.entries: has more than 64 entries");
  EXPECT_THAT(complaint(std::string(20, '[')), HasSubstr("deeper than 16"));
  EXPECT_THAT(complaint("{"), StartsWith("the body is not JSON: "));
}

TEST_F(CheckTest, AnAskThatMeetsTooManyLimitsIsToldApartFromARefusal) {
  std::string members;
  for (int i = 1; i <= 65; ++i) {
    members += (i > 1 ? ",{\"rate\": \"" : "{\"rate\": \"") + std::to_string(i) + "/h\"}";
  }
  const auto result = one("{\"all\": [" + members + "]}");
  EXPECT_EQ(result.at("allowed"), false);
  EXPECT_EQ(result.at("reason"), "unavailable");
  EXPECT_TRUE(result.at("remaining").is_null());
}

}  // namespace
}  // namespace weir::front
