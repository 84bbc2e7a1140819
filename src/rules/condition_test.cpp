// SPDX-License-Identifier: Apache-2.0
#include "rules/condition.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rules/test_request.hpp"

namespace weir::rules {
namespace {

bool host_matches(std::string_view pattern, std::string_view host) {
  std::string normal;
  append_normal_host(host, normal);
  return HostPattern::parse(pattern).value().matches(normal);
}

TEST(HostPattern, IsExactOrCoversLabelsBefore) {
  EXPECT_TRUE(host_matches("example.com", "EXAMPLE.com:80"));
  EXPECT_TRUE(host_matches("Example.com", "example.com."));
  EXPECT_FALSE(host_matches("example.com", "www.example.com"));
  EXPECT_TRUE(host_matches("*.example.com", "www.example.com"));
  EXPECT_TRUE(host_matches("*.example.com", "a.b.example.com"));
  EXPECT_FALSE(host_matches("*.example.com", "example.com"));
  EXPECT_FALSE(host_matches("*.example.com", ".example.com"));
  EXPECT_FALSE(host_matches("*.example.com", "badexample.com"));
  EXPECT_TRUE(host_matches("[::1]", "[::1]:80"));
}

TEST(HostPattern, WhatCanNeverMatchIsRefused) {
  for (const auto* text : {"", "*", "*.", "a*.com", "*.*.com", "example.com:80", "example.com.",
                           "a b", "a/b", "user@a", "a..b", "http://a"}) {
    EXPECT_FALSE(HostPattern::parse(text).ok()) << text;
  }
  EXPECT_EQ(HostPattern::parse("*.Example.com:80").error(),
            "'*.Example.com:80': can never match: hosts are matched without port and last dot; did "
            "you mean "
            "'*.example.com'?");
}

TEST(Wildcard, StandsForAnyText) {
  EXPECT_TRUE(wildcard_matches("*", ""));
  EXPECT_TRUE(wildcard_matches("*", "abc"));
  EXPECT_TRUE(wildcard_matches("a*c", "abbc"));
  EXPECT_TRUE(wildcard_matches("a*c", "ac"));
  EXPECT_FALSE(wildcard_matches("a*c", "abcd"));
  EXPECT_TRUE(wildcard_matches("*b*b*", "abab"));
  EXPECT_FALSE(wildcard_matches("*b*b*", "aba"));
  EXPECT_TRUE(wildcard_matches("abc", "abc"));
  EXPECT_FALSE(wildcard_matches("abc", "ABC"));
  EXPECT_FALSE(wildcard_matches("", "a"));
}

bool wildcard_by_definition(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    return wildcard_by_definition(pattern.substr(1), text) ||
           (!text.empty() && wildcard_by_definition(pattern, text.substr(1)));
  }
  return !text.empty() && pattern[0] == text[0] &&
         wildcard_by_definition(pattern.substr(1), text.substr(1));
}

TEST(Wildcard, MatchesByItsDefinition) {
  rc::check([] {
    constexpr int size = 12;  // the definition takes exponential time
    const auto texts = [](const std::string& letters) {
      return rc::gen::resize(size, rc::gen::container<std::string>(rc::gen::elementOf(letters)));
    };
    const auto pattern = *texts("ab*");
    const auto text = *texts("ab");
    RC_ASSERT(wildcard_matches(pattern, text) == wildcard_by_definition(pattern, text));
  });
}

/// Whether a rule with this `match` applies.
bool applies(const std::string& match, const TestRequest& request) {
  return !met(*rules_of("rules:\n  - name: r\n    match: " + match + "\n    limits: [1/s]\n"),
              request)
              .empty();
}

TEST(Condition, AllNamedOnesMustHoldAndAListIsAnyOf) {
  TestRequest request;
  request.method = "POST";
  request.target = "/login";
  EXPECT_TRUE(applies("{method: POST, path: /login}", request));
  EXPECT_TRUE(applies("{method: [GET, POST], path: [/a, /login]}", request));
  EXPECT_FALSE(applies("{method: GET, path: /login}", request));
  EXPECT_FALSE(applies("{method: POST, path: /logout}", request));
  EXPECT_TRUE(applies("{}", request));
  request.method = "post";
  EXPECT_FALSE(applies("{method: POST}", request)) << "methods have case";
}

TEST(Condition, HostsComeFromTheTargetWhereItNamesOne) {
  TestRequest request;
  request.host = "other.org";
  request.target = "http://User@Example.com:8080/x";
  EXPECT_TRUE(applies("{host: example.com}", request));
  EXPECT_FALSE(applies("{host: other.org}", request));
  EXPECT_TRUE(applies("{path: /x}", request));
}

TEST(Condition, HeadersHaveNoCaseInTheirNames) {
  TestRequest request;
  request.headers = {{"X-Debug", " On "}};
  EXPECT_TRUE(applies("{header: {x-debug: 'On'}}", request));
  EXPECT_TRUE(applies("{header: {X-DEBUG: 'O*'}}", request));
  EXPECT_TRUE(applies("{header: {x-debug: ['off', 'On']}}", request));
  EXPECT_FALSE(applies("{header: {x-debug: 'on'}}", request));
  EXPECT_TRUE(applies("{header: {x-debug: '*'}}", request));
  EXPECT_FALSE(applies("{header: {x-other: '*'}}", request));
}

TEST(Condition, AnotherLineOfAHeaderNeitherEscapesARuleNorBorrowsAnExemption) {
  TestRequest request;
  request.headers = {{"x-kind", "bulk"}, {"X-Kind", "internal"}};
  EXPECT_TRUE(applies("{header: {x-kind: bulk}}", request));
  EXPECT_TRUE(applies("{header: {x-kind: internal}}", request));
  const auto exempt = rules_of(
      "rules:\n  - {name: e, match: {header: {x-kind: internal}}, exempt: true}\n"
      "  - {name: r, limits: [1/s]}\n");
  EXPECT_EQ(met(*exempt, request), "r/1/s");
  request.headers = {{"X-Kind", "internal"}, {"X-Kind", "internal"}};
  EXPECT_EQ(met(*exempt, request), "exempt e");
  request.headers.clear();
  EXPECT_EQ(met(*exempt, request), "r/1/s");
}

TEST(Condition, NetworksHoldTheClientNotTheSocket) {
  TestRequest request;
  request.client = "10.1.2.3";
  EXPECT_TRUE(applies("{cidr: 10.0.0.0/8}", request));
  EXPECT_TRUE(applies("{cidr: [192.168.0.0/16, 10.1.2.3]}", request));
  EXPECT_FALSE(applies("{cidr: 192.168.0.0/16}", request));
  request.client.clear();
  EXPECT_FALSE(applies("{cidr: [0.0.0.0/0, '::/0']}", request)) << "no address is in no network";
}

}  // namespace
}  // namespace weir::rules
