// SPDX-License-Identifier: Apache-2.0
#include "rules/request_view.hpp"

#include <gtest/gtest.h>

#include "rules/test_request.hpp"

namespace weir::rules {
namespace {

/// What `get` takes from a view of a request; `-` for nothing.
template <typename Get>
std::string taken(const TestRequest& test, Get get) {
  return test.with([&get](const Request& request) {
    const ClientTrust trust;
    MatchScratch scratch;
    RequestView view(request, trust, scratch);
    const std::optional<std::string_view> value = get(view);
    return value ? std::string(*value) : "-";
  });
}

std::string header_of(Pairs headers, std::string_view name) {
  TestRequest request;
  request.headers = std::move(headers);
  return taken(request, [name](RequestView& view) { return view.header(name); });
}

std::string cookie_of(Pairs headers, std::string_view name) {
  TestRequest request;
  request.headers = std::move(headers);
  return taken(request, [name](RequestView& view) { return view.cookie(name); });
}

std::string query_of_target(std::string target, std::string_view name) {
  TestRequest request;
  request.target = std::move(target);
  return taken(request, [name](RequestView& view) { return view.query(name); });
}

std::string bearer_of(std::string authorization) {
  TestRequest request;
  request.headers = {{"Authorization", std::move(authorization)}};
  return taken(request, [](RequestView& view) { return view.bearer(); });
}

TEST(RequestView, HeadersAreFoundWhateverTheirCase) {
  EXPECT_EQ(header_of({{"X-A", "1"}, {"x-a", "2"}}, "x-a"), "1");
  EXPECT_EQ(header_of({{"X-A", " \t1 2\t "}}, "x-a"), "1 2");
  EXPECT_EQ(header_of({{"X-A", ""}}, "x-a"), "");
  EXPECT_EQ(header_of({{"X-AB", "1"}}, "x-a"), "-");
  EXPECT_EQ(header_of({}, "x-a"), "-");
}

TEST(RequestView, CookiesAreFoundInAnyOfTheirLines) {
  EXPECT_EQ(cookie_of({{"Cookie", "a=1; b=2"}}, "b"), "2");
  EXPECT_EQ(cookie_of({{"Cookie", "a=1"}, {"cookie", "b=2"}}, "b"), "2");
  EXPECT_EQ(cookie_of({{"Cookie", "b=1; b=2"}}, "b"), "1");
  EXPECT_EQ(cookie_of({{"Cookie", "b=x=y"}}, "b"), "x=y");
  EXPECT_EQ(cookie_of({{"Cookie", "b=\"2\""}}, "b"), "2");
  EXPECT_EQ(cookie_of({{"Cookie", "b=\""}}, "b"), "\"");
  EXPECT_EQ(cookie_of({{"Cookie", "b"}}, "b"), "");
  EXPECT_EQ(cookie_of({{"Cookie", "B=1; bb=2; =3;;"}}, "b"), "-");
  EXPECT_EQ(cookie_of({{"Set-Cookie", "b=2"}}, "b"), "-");
}

TEST(RequestView, QueryParametersAreDecoded) {
  EXPECT_EQ(query_of_target("/?a=1&b=2", "b"), "2");
  EXPECT_EQ(query_of_target("/?b=1&b=2", "b"), "1");
  EXPECT_EQ(query_of_target("/?b=%31%2b+%26", "b"), "1+ &");
  EXPECT_EQ(query_of_target("/?%62=1", "b"), "1");
  EXPECT_EQ(query_of_target("/?b=x=y", "b"), "x=y");
  EXPECT_EQ(query_of_target("/?b", "b"), "");
  EXPECT_EQ(query_of_target("/?b=%zz%", "b"), "%zz%");
  EXPECT_EQ(query_of_target("/?b=+", "b"), " ");
  EXPECT_EQ(query_of_target("/?a=b", "b"), "-");
  EXPECT_EQ(query_of_target("/?&&", "b"), "-");
  EXPECT_EQ(query_of_target("http://h/?b=1", "b"), "1");
  EXPECT_EQ(query_of_target("/b=1", "b"), "-");
}

TEST(RequestView, BearerTokens) {
  EXPECT_EQ(bearer_of("Bearer t"), "t");
  EXPECT_EQ(bearer_of("bEARER \t t"), "t");
  EXPECT_EQ(bearer_of("Bearer a b"), "a b");
  EXPECT_EQ(bearer_of("Bearer"), "-");
  EXPECT_EQ(bearer_of("Bearert"), "-");
  EXPECT_EQ(bearer_of("Basic t"), "-");
  EXPECT_EQ(bearer_of(""), "-");
}

TEST(RequestView, TheHostIsTheTargetsWhereItNamesOne) {
  const auto host = [](std::string field, std::string target) {
    TestRequest request;
    request.host = std::move(field);
    request.target = std::move(target);
    return taken(request, [](RequestView& view) { return view.host(); });
  };
  EXPECT_EQ(host("A.example:80", "/x"), "a.example");
  EXPECT_EQ(host("a.example", "http://B.example:80/x"), "b.example");
  EXPECT_EQ(host("a.example", "http:///x"), "a.example");
  EXPECT_EQ(host("", "/x"), "");
}

TEST(RequestView, EntriesAreFoundByTheirExactNames) {
  TestRequest request;
  request.entries = {{"User", "1"}, {"user", "2"}, {"user", "3"}};
  EXPECT_EQ(taken(request, [](RequestView& view) { return view.entry("user"); }), "2");
  EXPECT_EQ(taken(request, [](RequestView& view) { return view.entry("USER"); }), "-");
}

TEST(RequestView, LowersAndTrims) {
  const auto lowered = [](RequestView& view) { return view.lowered(" \tAbC D1 "); };
  EXPECT_EQ(taken({}, lowered), "abc d1");
}

TEST(RequestView, IsDerivedFromEachRequestAnew) {
  const ClientTrust trust;
  MatchScratch scratch;
  for (const std::string name : {"first", "second"}) {
    TestRequest test;
    test.target = "/" + name;
    test.host = name + ".example";
    test.with([&](const Request& request) {
      RequestView view(request, trust, scratch);
      EXPECT_EQ(view.path().text(), "/" + name);
      EXPECT_EQ(view.host(), name + ".example");
    });
  }
}

}  // namespace
}  // namespace weir::rules
