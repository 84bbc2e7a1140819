// SPDX-License-Identifier: Apache-2.0
// /v1/auth as proxies ask it.
#include "front/http/auth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front/http/session_fixture.hpp"

namespace weir::front {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr auto config = R"(
clients: {trusted_proxies: [10.0.0.0/8]}
rules:
  - {name: health, match: {path: /healthz}, exempt: true}
  - {name: login, match: {method: POST, path: /login}, key: ip, limits: [1/h fixed_window]}
  - {name: pages, match: {path: /pages/**}, key: ip, limits: [3/h fixed_window]}
  - {name: host, match: {host: api.example.com}, key: ip, limits: [2/h fixed_window]}
  - {name: strict, match: {path: /strict}, key: "header:x-user", missing: deny, limits: [1/h]}
  - {name: export, match: {path: /export}, key: ip, cost: 5, limits: [4/h fixed_window]}
)";

class AuthTest : public HttpTest {
 protected:
  void SetUp() override { load(config); }

  Reply auth(std::string_view fields, std::string_view query = "") {
    return ask(auth_bytes(fields, query));
  }

  /// What the proxy at `peer` is answered.
  Reply auth_from(const char* peer, std::string_view fields) {
    return client(peer).ask(auth_bytes(fields));
  }
};

TEST_F(AuthTest, AdmittedIsToldWhatIsLeft) {
  const auto reply = auth("X-Forwarded-Method: GET\r\nX-Forwarded-Uri: /pages/1?q=2\r\n");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "");
  EXPECT_EQ(reply.fields,
            (std::map<std::string, std::string>{{"Date", "Tue, 14 Nov 2023 22:13:20 GMT"},
                                                {"Content-Length", "0"},
                                                {"X-RateLimit-Limit", "3"},
                                                {"X-RateLimit-Remaining", "2"},
                                                {"X-RateLimit-Reset", "2800"}}));
}

TEST_F(AuthTest, RefusedIsToldUntilWhen) {
  Reply reply;
  for (int i = 0; i < 4; ++i) reply = auth("X-Forwarded-Uri: /pages/1\r\n");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.fields.at("X-RateLimit-Limit"), "3");
  EXPECT_EQ(reply.fields.at("X-RateLimit-Remaining"), "0");
  EXPECT_EQ(reply.fields.at("X-RateLimit-Reset"), "2800");
  EXPECT_EQ(reply.fields.at("Retry-After"), "2800");
  EXPECT_EQ(reply.fields.at("Cache-Control"), "no-store");
  EXPECT_EQ(reply.fields.at("Content-Type"), "application/problem+json");
  EXPECT_EQ(reply.json().at("status"), 429);
  EXPECT_EQ(reply.json().at("violated-policies").at(0), "3/h fixed_window");
}

TEST_F(AuthTest, B05_AllNumbersOfARefusalAreThoseOfTheLimitThatRefused) {
  load("rules: [{name: r, limits: [60/min fixed_window, 2/h fixed_window]}]");
  clock.set(Time{1'700'002'800s});  // the beginning of an hour
  auth("");
  auth("");
  const auto reply = auth("");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.fields.at("X-RateLimit-Limit"), "2");
  EXPECT_EQ(reply.fields.at("X-RateLimit-Remaining"), "0");
  EXPECT_EQ(reply.fields.at("X-RateLimit-Reset"), "3600");
  EXPECT_EQ(reply.fields.at("Retry-After"), "3600");
}

TEST_F(AuthTest, B03_ACostThatNeverFitsHasNoRetryAfter) {
  const auto reply = auth("X-Forwarded-Uri: /export\r\n");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.fields.count("Retry-After"), 0u);
  EXPECT_EQ(reply.fields.at("X-RateLimit-Remaining"), "4");
}

TEST_F(AuthTest, B04_WhoWaitsAsToldIsAdmitted) {
  load("rules: [{name: r, limits: [3/s burst 1]}]");
  EXPECT_EQ(auth("").status, 200);
  clock.advance(100ms);
  const auto refused = auth("");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.fields.at("Retry-After"), "1");
  clock.advance(1s);
  EXPECT_EQ(auth("").status, 200);
}

TEST_F(AuthTest, B19_AMissingKeyIsForbiddenNotRefused) {
  const auto reply = auth("X-Forwarded-Uri: /strict\r\n");
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.fields.count("Retry-After"), 0u);
  EXPECT_EQ(reply.fields.count("X-RateLimit-Limit"), 0u);
  EXPECT_EQ(reply.json().at("status"), 403);
  EXPECT_EQ(auth("X-Forwarded-Uri: /strict\r\nX-User: u\r\n").status, 200);
}

TEST_F(AuthTest, ExemptAndUnlimitedRequestsHaveNoNumbers) {
  for (const auto* target : {"/healthz", "/free"}) {
    const auto reply = auth("X-Forwarded-Uri: " + std::string(target) + "\r\n");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.fields.count("X-RateLimit-Limit"), 0u);
  }
}

TEST_F(AuthTest, MethodPathAndHostComeFromTheProxy) {
  EXPECT_EQ(auth("X-Forwarded-Method: POST\r\nX-Forwarded-Uri: /login\r\n")
                .fields.at("X-RateLimit-Limit"),
            "1");
  EXPECT_EQ(auth("X-Forwarded-Method: GET\r\nX-Forwarded-Uri: /login\r\n")
                .fields.count("X-RateLimit-Limit"),
            0u);
  EXPECT_EQ(auth("X-Forwarded-Host: api.example.com\r\n").fields.at("X-RateLimit-Limit"), "2");
  EXPECT_EQ(auth("X-Original-Method: POST\r\nX-Original-URI: /login\r\n").status, 429);
  EXPECT_EQ(
      auth("X-Original-URL: https://api.example.com/x\r\n").fields.at("X-RateLimit-Remaining"),
      "0");
  EXPECT_EQ(auth("X-Original-URI: /\r\nX-Original-Host: api.example.com\r\n").status, 429);
}

TEST_F(AuthTest, WithoutSuchFieldsTheRequestIsItsOwn) {
  const auto reply = ask("POST /v1/auth HTTP/1.1\r\nHost: api.example.com\r\n\r\n");
  EXPECT_EQ(reply.fields.at("X-RateLimit-Limit"), "2");
}

TEST_F(AuthTest, WhatACallerAddsToTheProxysFieldsIsRefusedNotBelieved) {
  const auto both = auth("X-Forwarded-Uri: /healthz\r\nX-Original-URI: /pages/1\r\n");
  EXPECT_EQ(both.status, 400);
  EXPECT_THAT(both.body, HasSubstr("/v1/auth/x-original"));
  EXPECT_EQ(auth("X-Forwarded-Uri: /healthz\r\nX-Forwarded-Uri: /pages/1\r\n").status, 400);
  EXPECT_EQ(auth("X-Original-URI: /healthz\r\nX-Original-URL: /pages/1\r\n").status, 400);
}

TEST_F(AuthTest, ThePathMaySayWhichFieldsAreTheProxysOwn) {
  constexpr auto fields = "X-Forwarded-Uri: /healthz\r\nX-Original-URI: /pages/1\r\n";
  EXPECT_EQ(auth(std::string(fields) + "X-Forwarded-Uri: /x\r\n", "/x-original")
                .fields.at("X-RateLimit-Limit"),
            "3");
  EXPECT_EQ(auth(std::string(fields) + "X-Original-URI: /x\r\n", "/x-forwarded")
                .fields.count("X-RateLimit-Limit"),
            0u);
}

TEST_F(AuthTest, TheQueryOfACallerThatAProxyHandsOnChangesNothing) {
  for (const auto* query : {"?", "?q=1&from=x-original", "?x-original", "?deny=200&deny"}) {
    EXPECT_EQ(auth("X-Forwarded-Uri: /pages/1\r\nX-Original-URI: /healthz\r\n", query).status, 400);
    EXPECT_EQ(auth("X-Forwarded-Uri: /healthz\r\n", query).status, 200);
  }
  EXPECT_EQ(auth("", "/").status, 404);
  EXPECT_EQ(auth("", "/x-other").status, 404);
  EXPECT_EQ(auth("", "x").status, 404);
}

TEST_F(AuthTest, AProxyThatPassesOnNoOtherStatusGets403ForMistakesToo) {
  const auto reply = auth("X-Forwarded-Uri: /a\r\nX-Original-URI: /b\r\n", "?a=b&deny=403");
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.fields.at("X-RateLimit-Status"), "400");
}

TEST_F(AuthTest, AProxyThatPassesOnNoOtherStatusGets403) {
  Reply reply;
  for (int i = 0; i < 4; ++i) reply = auth("X-Original-URI: /pages/1\r\n", "?deny=403");
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.fields.at("X-RateLimit-Status"), "429");
  EXPECT_EQ(reply.fields.at("Retry-After"), "2800");
  EXPECT_EQ(reply.fields.at("X-RateLimit-Limit"), "3");
  EXPECT_EQ(reply.body, "");
  const auto forbidden = auth("X-Original-URI: /strict\r\n", "?deny=403");
  EXPECT_EQ(forbidden.status, 403);
  EXPECT_EQ(forbidden.fields.at("X-RateLimit-Status"), "403");
  const auto admitted = auth("X-Original-URI: /free\r\n", "?deny=403");
  EXPECT_EQ(admitted.status, 200);
  EXPECT_EQ(admitted.fields.count("X-RateLimit-Status"), 0u);
}

TEST_F(AuthTest, AnyMethodAsks) {
  for (const auto* method :
       {"GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "HEAD"}) {
    const auto reply = ask(std::string(method) +
                           " /v1/auth HTTP/1.1\r\nHost: h\r\nX-Forwarded-Uri: /healthz\r\n\r\n");
    EXPECT_EQ(reply.status, 200) << method;
  }
}

TEST_F(AuthTest, ARefusalOfAHeadHasNoBody) {
  const std::string bytes =
      "HEAD /v1/auth HTTP/1.1\r\nHost: h\r\nX-Forwarded-Uri: /login\r\n"
      "X-Forwarded-Method: POST\r\n\r\n";
  EXPECT_EQ(ask(bytes).status, 200);
  const auto reply = ask(bytes);
  EXPECT_EQ(reply.status, 429);
  EXPECT_NE(reply.fields.at("Content-Length"), "0");
}

TEST_F(AuthTest, B21_TheClientsAddressIsDerivedFromThePeerAndTheHeaders) {
  const auto remaining = [this](const char* peer, std::string_view forwarded) {
    return auth_from(peer, "X-Forwarded-Uri: /pages/1\r\nX-Forwarded-For: " +
                               std::string(forwarded) + "\r\n")
        .fields.at("X-RateLimit-Remaining");
  };
  EXPECT_EQ(remaining("10.0.0.5", "9.9.9.9, 1.2.3.4"), "2");
  EXPECT_EQ(remaining("10.0.0.5", "8.8.8.8, 1.2.3.4, 10.0.0.9"), "1");
  EXPECT_EQ(remaining("198.51.100.7", "1.2.3.4"), "2");  // not trusted: it is its own client
  EXPECT_EQ(remaining("198.51.100.7", "4.3.2.1"), "1");
}

TEST_F(AuthTest, B65_APeerWithoutAnAddressIsServed) {
  EXPECT_EQ(auth_from(nullptr, "X-Forwarded-Uri: /pages/1\r\n").status, 200);
}

TEST_F(AuthTest, B46_ResetIsADeltaOrAnEpochAsConfigured) {
  EXPECT_EQ(auth("X-Forwarded-Uri: /pages/1\r\n").fields.at("X-RateLimit-Reset"), "2800");
  headers.set({.reset_as_epoch = true, .retry_jitter = {}});
  EXPECT_EQ(auth("X-Forwarded-Uri: /pages/1\r\n").fields.at("X-RateLimit-Reset"), "1700002800");
}

TEST_F(AuthTest, B75_JitterSpreadsRefusalsAndNeverShortensThem) {
  load("rules: [{name: r, limits: [1/10s fixed_window]}]");
  headers.set({.reset_as_epoch = false, .retry_jitter = 3s});
  EXPECT_EQ(auth("").status, 200);
  std::map<int, int> seen;
  for (int i = 0; i < 200; ++i) ++seen[std::stoi(auth("").fields.at("Retry-After"))];
  EXPECT_GE(seen.begin()->first, 10);
  EXPECT_LE(seen.rbegin()->first, 13);
  EXPECT_GT(seen.size(), 1u);
}

TEST_F(AuthTest, B47_NoFieldIsThereTwice) {
  // take_reply() finds doubles; every kind of answer is asked for once.
  auth("X-Forwarded-Uri: /strict\r\n");
  for (int i = 0; i < 4; ++i) {
    auth(
        "X-Forwarded-Uri: /pages/1\r\nRetry-After: 7\r\nX-RateLimit-Limit: 9\r\nCache-Control: "
        "public\r\n");
  }
}

}  // namespace
}  // namespace weir::front
