// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "rules/test_request.hpp"

namespace weir::rules {
namespace {

constexpr std::string_view shop = R"(
clients: {trusted_proxies: 10.0.0.0/8}
plans: {by: "header:x-plan", default: free}
limits: {api: 10/s burst 50}
rules:
  - {name: health, match: {path: [/healthz, /robots.txt]}, exempt: true}
  - {name: login, match: {method: POST, path: /login}, key: ip, limits: [5/15min sliding_log]}
  - name: per-client
    match: {path: /v1/**, host: "*.example.com"}
    key: ["header:x-api-key | ip", route, "'v1'"]
    cost: [{method: GET, cost: 2}]
    limits: {free: [api, 5000/day], pro: unlimited}
  - {name: internal, match: {cidr: 10.0.0.0/8, header: {x-debug: ["1", "on*"]}}, limits: [1/s]}
  - {name: user, key: cookie:sid, missing: skip, limits: [3/s], shadow: true}
  - {name: everyone, limits: [2000/s], shadow: true}
)";

std::string explained(const TestRequest& request) {
  const auto rules = rules_of(shop);
  return request.with([&rules](const Request& views) { return rules->explain(views); });
}

boost::json::object explained_json(const TestRequest& request) {
  const auto rules = rules_of(shop);
  return boost::json::parse(
             request.with([&](const Request& views) { return rules->explain_json(views); }))
      .as_object();
}

TestRequest export_request() {
  TestRequest request;
  request.host = "Shop.Example.com:443";
  request.target = "/v1/export?x=1";
  request.client = "2001:db8:1:2:3::4";
  return request;
}

TEST(Explain, TellsWhatEachRuleMakesOfARequest) {
  EXPECT_EQ(explained(export_request()), R"(GET shop.example.com/v1/export
  client  2001:db8:1:2:3::4
  plan    free

rule 'health' (exempt): does not apply: the path '/v1/export' is none of /healthz, /robots.txt

rule 'login': does not apply: the path '/v1/export' is not /login

rule 'per-client': applies
  key     ip = '2001:db8:1:2::/64'
  key     route = '/v1/**'
  key     'v1' = 'v1'
  cost    2
  plan    free
  limit   api (10/s burst 50)
  limit   5000/day

rule 'internal': does not apply: there is no header x-debug

rule 'user' (shadow): does not apply: the request has no cookie:sid

rule 'everyone' (shadow): applies
  key     none: one counter for everybody
  cost    1
  limit   2000/s

result: 2 limits decide, all or nothing; 1 more in shadow
)");
}

TEST(Explain, TellsOfExemptions) {
  TestRequest request;
  request.target = "/healthz";
  const auto text = explained(request);
  EXPECT_NE(text.find("rule 'health' (exempt): applies\n"), text.npos) << text;
  EXPECT_NE(text.find("result: exempt by rule 'health': admitted, and nothing is counted\n"),
            text.npos);
}

TEST(Explain, TellsWhyASpellingIsNotExempt) {
  TestRequest request;
  request.target = "//healthz";
  const auto text = explained(request);
  EXPECT_NE(text.find("path    in normal form; the request has another spelling"), text.npos)
      << text;
  EXPECT_NE(
      text.find(
          "the path '/healthz' is not written so: an exempt rule lets no other spelling pass"),
      text.npos);
}

TEST(Explain, TellsWhichConditionFails) {
  const auto why = [](const TestRequest& request, std::string_view expected) {
    const auto text = explained(request);
    EXPECT_NE(text.find(expected), text.npos) << text;
  };
  TestRequest request;
  request.target = "/login";
  why(request, "'login': does not apply: the method 'GET' is not POST");
  request.target = "/v1/x";
  why(request, "'per-client': does not apply: the host 'example.com' is not *.example.com");
  request.headers = {{"X-Debug", "off"}};
  why(request, "'internal': does not apply: the header x-debug, 'off', is none of 1, on*");
  request.headers = {{"X-Debug", "on"}};
  why(request, "'internal': does not apply: the client has no address");
  request.client = "1.2.3.4";
  why(request, "'internal': does not apply: the client 1.2.3.4 is not 10.0.0.0/8");
  request.client = "10.2.3.4";
  why(request, "'internal': applies");
}

TEST(Explain, TellsOfPlansThatAreUnlimited) {
  auto request = export_request();
  request.headers = {{"x-plan", "pro"}};
  const auto text = explained(request);
  EXPECT_NE(text.find("  plan    pro\n  limits  unlimited\n"), text.npos) << text;
  EXPECT_NE(text.find("result: no limit is enforced: admitted; 1 more in shadow"), text.npos);
}

TEST(Explain, TellsOfMissingPartsThatDeny) {
  const auto rules =
      rules_of("rules:\n  - {name: r, key: [ip, header:x], missing: deny, limits: [1/s]}\n");
  TestRequest{}.with([&](const Request& request) {
    const auto text = rules->explain(request);
    EXPECT_NE(
        text.find("  key     ip = 'without address'\n  key     header:x is missing: denied\n"),
        text.npos)
        << text;
    EXPECT_NE(text.find("result: forbidden by rule 'r': 403, and nothing is counted"), text.npos);
  });
}

TEST(Explain, ShowsNoControlCharacters) {
  auto request = export_request();
  request.target = "/v1/%1b[2J%ff";
  const auto text = explained(request);
  EXPECT_NE(text.find("/v1/\\x1b[2J\\xff"), text.npos) << text;
  EXPECT_EQ(text.find('\x1b'), text.npos);
}

TEST(ExplainJson, SaysTheSame) {
  const auto object = explained_json(export_request());
  EXPECT_EQ(object.at("method"), "GET");
  EXPECT_EQ(object.at("host"), "shop.example.com");
  EXPECT_EQ(object.at("path"), "/v1/export");
  EXPECT_EQ(object.at("path_in_normal_form"), true);
  EXPECT_EQ(object.at("client"), "2001:db8:1:2:3::4");
  EXPECT_EQ(object.at("verdict"), "limited");
  const auto& rules = object.at("rules").as_array();
  ASSERT_EQ(rules.size(), 6u);
  EXPECT_EQ(rules[0], boost::json::parse(R"({"rule": "health", "effect": "exempt", "applies": false,
      "why_not": "the path '/v1/export' is none of /healthz, /robots.txt"})"));
  EXPECT_EQ(rules[2],
            boost::json::parse(R"({"rule": "per-client", "effect": "enforced", "applies": true,
      "key": [{"part": "ip", "value": "2001:db8:1:2::/64"},
              {"part": "route", "value": "/v1/**"},
              {"part": "'v1'", "value": "v1"}],
      "cost": 2, "plan": "free",
      "limits": [{"name": "api", "limit": "10/s burst 50"},
                 {"name": "5000/day", "limit": "5000/day"}]})"));
}

TEST(ExplainJson, NamesTheRuleThatDecidesAlone) {
  TestRequest request;
  request.target = "/healthz";
  const auto object = explained_json(request);
  EXPECT_EQ(object.at("verdict"), "exempt");
  EXPECT_EQ(object.at("decided_by"), "health");
  EXPECT_TRUE(object.at("client").is_null());
}

TEST(KeyText, IsTheKeyForPeople) {
  const auto rules = rules_of(shop);
  export_request().with([&](const Request& request) {
    EXPECT_EQ(rules->key_text(request, "per-client"), "ip 2001:db8:1:2::/64, route /v1/**, 'v1'");
    EXPECT_EQ(rules->key_text(request, "everyone"), "everybody");
    EXPECT_EQ(rules->key_text(request, "nobody"), "");
  });
  EXPECT_EQ(rules->rule_count(), 6u);
}

}  // namespace
}  // namespace weir::rules
