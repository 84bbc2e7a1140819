// SPDX-License-Identifier: Apache-2.0
#include "rules/key_expression.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fmt/format.h>

#include "rules/test_request.hpp"

namespace weir::rules {
namespace {

std::shared_ptr<const RuleSet> keyed_by(const std::string& key, const std::string& more = "") {
  return rules_of(
      "rules:\n  - name: r\n    match: {path: ['/a/*', '/**']}\n    missing: skip\n    key: " +
      key + "\n    limits: [1/s]\n" + more);
}

/// The key of a request by an expression, as it is written in YAML.
std::optional<Key> key(const std::string& expression, const TestRequest& request) {
  return key_of(*keyed_by(expression), request);
}

TestRequest with_header(std::string name, std::string value) {
  TestRequest request;
  request.headers = {{std::move(name), std::move(value)}};
  return request;
}

TEST(KeyPart, ReadsItsSources) {
  const auto kinds = [](std::string_view text) {
    std::string result;
    const auto part = KeyPart::parse(text);
    if (!part) return part.error();
    for (const auto& source : part->sources) {
      result += fmt::format("{}({}{}{})", static_cast<int>(source.kind), source.name,
                            source.lower ? " lower" : "", source.known ? " known" : "");
    }
    return result;
  };
  EXPECT_EQ(kinds("ip"), "1()");
  EXPECT_EQ(kinds(" header:X-Api-Key|ip "), "2(x-api-key)1()");
  EXPECT_EQ(kinds("cookie:Sid"), "3(Sid)") << "names of cookies have case";
  EXPECT_EQ(kinds("query:a[b]"), "4(a[b])");
  EXPECT_EQ(kinds("host | path | method | route"), "5()6()7()8()");
  EXPECT_EQ(kinds("entry:remote address"), "9(remote address)");
  EXPECT_EQ(kinds("bearer"), "10()");
  EXPECT_EQ(kinds("'a | b'"), "11(a | b)");
  EXPECT_EQ(kinds("lower(header:x)"), "2(x lower)");
  EXPECT_EQ(kinds("known( lower( bearer ) )"), "10( lower known)");
}

TEST(KeyPart, WhatIsNoneIsRefused) {
  for (const auto* text : {"",
                           " ",
                           "|",
                           "ip|",
                           "|ip",
                           "ip||host",
                           "Ip",
                           "header",
                           "header:",
                           "header:a b",
                           "cookie:a=b",
                           "ip:x",
                           "bearer:x",
                           "''",
                           "'",
                           "'a",
                           "lower(ip",
                           "lower()",
                           "upper(ip)",
                           "lower('a')",
                           "lower(known(bearer))",
                           "ip|ip|ip|ip|ip|ip|ip|ip|ip"}) {
    EXPECT_FALSE(KeyPart::parse(text).ok()) << text;
  }
  EXPECT_EQ(KeyPart::parse("haeder:x").error(),
            "'haeder:x': unknown part 'haeder'; did you mean 'header'?");
}

TEST(KeyPart, KnowsWhatEveryRequestHas) {
  const auto always = [](std::string_view text) { return KeyPart::parse(text)->always_there(); };
  for (const auto* text :
       {"ip", "host", "path", "method", "route", "'a'", "header:x | ip", "lower(ip)"}) {
    EXPECT_TRUE(always(text)) << text;
  }
  for (const auto* text :
       {"header:x", "cookie:x", "query:x", "entry:x", "bearer", "header:x | bearer", "known(ip)"}) {
    EXPECT_FALSE(always(text)) << text;
  }
}

TEST(Key, IsOfTheFirstAlternativeThatIsPresentAndNotEmpty) {
  TestRequest request;
  request.client = "1.2.3.4";
  const auto by_ip = key("ip", request);
  EXPECT_EQ(key("'header:x | ip'", request), by_ip);
  request.headers = {{"X", ""}};
  EXPECT_EQ(key("'header:x | ip'", request), by_ip) << "empty is missing";
  request.headers = {{"X", "a"}};
  EXPECT_EQ(key("'header:x | ip'", request), key("'header:x'", request));
  EXPECT_NE(key("'header:x | ip'", request), by_ip);
}

TEST(Key, ARequestWithoutAPartSkipsTheRule) {
  EXPECT_FALSE(key("'header:x'", {}));
  EXPECT_FALSE(key("'header:x'", with_header("x", "")));
  EXPECT_FALSE(key("[ip, 'cookie:sid']", {}));
  EXPECT_FALSE(key("'entry:user'", {}));
}

TEST(Key, TheFirstLineOfAHeaderCounts) {
  TestRequest request;
  request.headers = {{"X-Key", " a "}, {"x-key", "b"}};
  EXPECT_EQ(key("header:x-key", request), key("header:X-KEY", with_header("x-key", "a")));
}

TEST(Key, CookiesAreFoundAmongOthers) {
  const auto cookies = [](std::string line) {
    return key("cookie:sid", with_header("Cookie", std::move(line)));
  };
  const auto a = cookies("sid=a");
  ASSERT_TRUE(a);
  for (const auto* line :
       {"x=1; sid=a", "sid=a; sid=b", "sid = a ;x", "sid=\"a\"", "xsid=1;sid=a", "sidx; sid=a"}) {
    EXPECT_EQ(cookies(line), a) << line;
  }
  EXPECT_FALSE(cookies("SID=a"));
  EXPECT_FALSE(cookies("sid="));
  EXPECT_FALSE(cookies("sid=\"\""));
  EXPECT_FALSE(cookies("sid"));
  EXPECT_NE(cookies("sid=b"), a);
}

TEST(Key, QueryParametersAreDecodedAndTheFirstCounts) {
  const auto query = [](std::string target) {
    TestRequest request;
    request.target = std::move(target);
    return key("'query:a b'", request);
  };
  const auto c_d = query("/?a%20b=c%20d");
  ASSERT_TRUE(c_d);
  EXPECT_EQ(query("/x?y&a+b=c+d&a+b=e"), c_d);
  EXPECT_EQ(query("/x?%61+b=%63%20d#f"), c_d);
  EXPECT_NE(query("/?a+b=c%2Bd"), c_d);
  EXPECT_FALSE(query("/?a+b="));
  EXPECT_FALSE(query("/?a+b"));
  EXPECT_FALSE(query("/"));
  EXPECT_FALSE(query("/#?a+b=c"));
}

TEST(Key, ThePathIsKeyedInItsNormalForm) {
  TestRequest plain, other;
  plain.target = "/a/b";
  other.target = "//a/./x/..;v/%62/?q=1";
  EXPECT_EQ(key("path", plain), key("path", other));
  other.target = "/a/c";
  EXPECT_NE(key("path", plain), key("path", other));
  EXPECT_EQ(key("route", plain), key("route", other)) << "both are /a/*";
  other.target = "/b";
  EXPECT_NE(key("route", plain), key("route", other));
}

TEST(Key, B67_HostSpellingsShareOneKey) {
  TestRequest request;
  const auto plain = key("host", request);
  for (const auto* host : {"Example.COM", "Example.COM.", "example.com:80"}) {
    request.host = host;
    EXPECT_EQ(key("host", request), plain) << host;
  }
  request.host = "example.org";
  EXPECT_NE(key("host", request), plain);
}

TEST(Key, B67_LowerSharesOneKeyAmongSpellings) {
  const auto alice = key("lower(header:x-user)", with_header("X-User", "alice"));
  EXPECT_EQ(key("lower(header:x-user)", with_header("X-User", "Alice")), alice);
  EXPECT_EQ(key("lower(header:x-user)", with_header("X-User", "  ALICE ")), alice);
  EXPECT_NE(key("lower(header:x-user)", with_header("X-User", "bob")), alice);
  EXPECT_NE(key("header:x-user", with_header("X-User", "alice")),
            key("header:x-user", with_header("X-User", "Alice")));
}

TEST(Key, B63_OnlyKnownCredentialsHaveAKeyOfTheirOwn) {
  const auto rules = rules_of(
      "plans:\n  by: {key: bearer, map: {k1: pro}}\n  default: free\n"
      "rules:\n  - name: r\n    key: 'known(bearer) | ip'\n    limits: {free: 3/min, pro: "
      "5/min}\n");
  const auto of = [&rules](std::string authorization) {
    auto request = with_header("Authorization", std::move(authorization));
    request.client = "1.2.3.4";
    return std::pair(key_of(*rules, request), met(*rules, request));
  };
  const auto known = of("Bearer k1");
  const auto anonymous = of("");
  EXPECT_EQ(known.second, "r/5/min");
  EXPECT_EQ(anonymous.second, "r/3/min");
  EXPECT_NE(known.first, anonymous.first);
  for (const auto* spelling : {"bearer k1", "BEARER k1", "Bearer  k1", " Bearer k1 "}) {
    EXPECT_EQ(of(spelling), known) << spelling;
  }
  for (const auto* spelling :
       {"x Bearer k1", "Bearerk1", "k1", "Basic k1", "Bearer", "Bearer ", "Bearer K1"}) {
    EXPECT_EQ(of(spelling), anonymous) << spelling;
  }
  for (int i = 0; i < 30; ++i) EXPECT_EQ(of(fmt::format("Bearer random{}", i)), anonymous);
}

TEST(Key, EachPartIsANamespaceOfItsOwn) {
  TestRequest request;
  request.client = "10.0.0.1";
  request.host = "10.0.0.1";
  request.method = "10.0.0.1";
  request.headers = {{"a", "10.0.0.1"},
                     {"b", "10.0.0.1"},
                     {"cookie", "a=10.0.0.1"},
                     {"authorization", "Bearer 10.0.0.1"}};
  request.entries = {{"a", "10.0.0.1"}};
  request.target = "/?a=10.0.0.1";
  const std::vector<std::string> expressions{
      "ip",        "host",    "method", "header:a",       "header:b",        "cookie:a",
      "query:a",   "entry:a", "bearer", "\"'10.0.0.1'\"", "lower(header:a)", "[ip, host]",
      "[host, ip]"};
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(key(expressions[i], request), key(expressions[j], request))
          << expressions[i] << " " << expressions[j];
    }
  }
}

TEST(Key, DifferentValuesMakeDifferentKeys) {
  const auto rules = keyed_by("['header:a', 'entry:b', 'query:c | cookie:d']");
  rc::check([&rules](const std::string& a1, const std::string& b1, const std::string& a2,
                     const std::string& b2) {
    const auto of = [&rules](const std::string& a, const std::string& b) {
      TestRequest request;
      request.headers = {{"a", a}, {"cookie", "d=1"}};
      request.entries = {{"b", b}};
      return key_of(*rules, request);
    };
    const auto first = of(a1, b1), second = of(a2, b2);
    if (!first || !second) return;
    const auto bare = [](std::string_view text) {
      const auto begin = text.find_first_not_of(" \t");
      return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
    };
    RC_ASSERT((first == second) == (bare(a1) == bare(a2) && b1 == b2));
  });
}

TEST(Key, LongValuesAreToldApartToTheirLastByte) {
  const std::string text(100'000, 'a');
  EXPECT_EQ(key("header:x", with_header("x", text)), key("header:x", with_header("x", text)));
  EXPECT_NE(key("header:x", with_header("x", text + "b")),
            key("header:x", with_header("x", text + "c")));
}

TEST(Key, WithoutOneThereIsOneCounterForAll) {
  const auto rules = rules_of("rules:\n  - {name: r, limits: [1/s]}\n");
  TestRequest other;
  other.client = "1.2.3.4";
  other.target = "/x";
  ASSERT_TRUE(key_of(*rules, {}));
  EXPECT_EQ(key_of(*rules, {}), key_of(*rules, other));
}

}  // namespace
}  // namespace weir::rules
