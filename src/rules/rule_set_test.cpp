// SPDX-License-Identifier: Apache-2.0
#include "rules/rule_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <thread>

#include <fmt/format.h>

#include "rules/path_pattern.hpp"
#include "rules/test_request.hpp"

namespace weir::rules {
namespace {

TestRequest get(std::string target) {
  TestRequest request;
  request.target = std::move(target);
  return request;
}

TEST(RuleSet, EveryRuleThatMatchesApplies) {
  const auto rules = rules_of(R"(
rules:
  - {name: all, limits: [100/s]}
  - {name: v1, match: {path: /v1/**}, limits: [10/s, 5000/day]}
  - {name: login, match: {method: POST, path: /login}, limits: [5/min]}
)");
  EXPECT_EQ(met(*rules, get("/")), "all/100/s");
  EXPECT_EQ(met(*rules, get("/v1/x")), "all/100/s v1/10/s v1/5000/day");
  EXPECT_EQ(met(*rules, get("/login")), "all/100/s");
  auto post = get("/login");
  post.method = "POST";
  EXPECT_EQ(met(*rules, post), "all/100/s login/5/min");
}

TEST(RuleSet, B95_ADefaultIsARuleWithoutMatchAndAppliesAlso) {
  const auto rules = rules_of(R"(
rules:
  - {name: bar, match: {path: /bar}, limits: [1/40s]}
  - {name: default, limits: [10/40s]}
)");
  EXPECT_EQ(met(*rules, get("/bar")), "bar/1/40s default/10/40s");
  EXPECT_EQ(met(*rules, get("/foo")), "default/10/40s");
}

TEST(RuleSet, B94_OneRequestsEntriesAreNotMixedWithAnothers) {
  const auto rules = rules_of(R"(
rules:
  - {name: abc, key: [entry:A, entry:B, entry:C], missing: skip, limits: [0/s]}
  - {name: ab, key: [entry:A, entry:B], missing: skip, limits: [5/s]}
)");
  TestRequest c, ab;
  c.entries = {{"C", "1"}};
  ab.entries = {{"A", "1"}, {"B", "1"}};
  EXPECT_EQ(met(*rules, c), "");
  EXPECT_EQ(met(*rules, ab), "ab/5/s");
}

TEST(RuleSet, AnExemptRuleWinsWhereverItStands) {
  const auto rules = rules_of(R"(
rules:
  - {name: keyed, key: header:x, missing: deny, limits: [1/s]}
  - {name: watch, limits: [2/s], shadow: true}
  - {name: health, match: {path: [/healthz, /robots.txt]}, exempt: true}
)");
  EXPECT_EQ(met(*rules, get("/healthz")), "exempt health");
  EXPECT_EQ(met(*rules, get("/healthz/?q=1")), "exempt health");
  EXPECT_EQ(met(*rules, get("/")), "forbidden keyed");
}

TEST(RuleSet, NoOtherSpellingBorrowsAnExemption) {
  const auto rules = rules_of(R"(
rules:
  - {name: health, match: {path: [/healthz, /static/**, /]}, exempt: true}
  - {name: all, limits: [1/s]}
)");
  for (const auto* target :
       {"/healthz", "/healthz/", "/healthz?x", "/static", "/static/a/b", "/", "/?q=//"}) {
    EXPECT_EQ(met(*rules, get(target)), "exempt health") << target;
  }
  for (const auto* target :
       {"//healthz", "/healthz//", "/./healthz", "/%68ealthz", "/healthz;x", "/healthz#f",
        "/x/../healthz", "\\healthz", "http://example.com/healthz", "healthz", "/static/../admin",
        "/static/..%2fadmin", "/static/%2e%2e/admin", "/static/..;/admin", "/admin/..;/static/x",
        "", "//", "*"}) {
    EXPECT_EQ(met(*rules, get(target)), "all/1/s") << target;
  }
}

TEST(RuleSet, NoOtherSpellingEscapesARule) {
  const auto rules = rules_of("rules:\n  - {name: login, match: {path: /login}, limits: [1/s]}\n");
  for (const auto* target : {"/login", "/login/", "//login", "/./login", "/%6cogin", "/login;x=1",
                             "/x/../login", "/login?x", "/login#x", "\\login", "/x%2f..%2flogin",
                             "/x/..;a/login", "http://h/login", "/login/.", "/login%2f", "login"}) {
    EXPECT_EQ(met(*rules, get(target)), "login/1/s") << target;
  }
}

TEST(RuleSet, CatchesTargetsOfEveryForm) {
  const auto rules = rules_of("rules:\n  - {name: all, match: {path: /**}, limits: [1/s]}\n");
  for (const auto* target :
       {"", "*", "/", "example.com:443", "http://h", "?", "%2f", "..", "/%00"}) {
    EXPECT_EQ(met(*rules, get(target)), "all/1/s") << target;
  }
}

TEST(RuleSet, ShadowRulesHaveAPartEachAndComeLast) {
  const auto rules = rules_of(R"(
rules:
  - {name: s1, limits: [1/s, 2/min], shadow: true}
  - {name: a, limits: [3/s]}
  - {name: s2, limits: [4/s], shadow: true}
  - {name: b, limits: [5/s]}
)");
  EXPECT_EQ(met(*rules, get("/")), "a/3/s b/5/s s1/1/s#1 s1/2/min#1 s2/4/s#2");
  for (const auto* limit : rules->all_limits()) EXPECT_EQ(limit->shadow, limit->rule[0] == 's');
}

TEST(RuleSet, MissingSkipsOrDenies) {
  const auto rules = rules_of(R"(
rules:
  - {name: first, limits: [9/s]}
  - {name: skips, key: header:a, missing: skip, limits: [1/s]}
  - {name: denies, key: [ip, "header:b | cookie:b"], missing: deny, limits: [2/s]}
  - {name: shadow, key: header:c, missing: deny, limits: [3/s], shadow: true}
)");
  TestRequest request;
  EXPECT_EQ(met(*rules, request), "forbidden denies") << "and nothing is counted";
  request.headers = {{"b", "1"}};
  EXPECT_EQ(met(*rules, request), "first/9/s denies/2/s") << "a shadow denies nothing";
  request.headers = {{"cookie", "b=1"}, {"a", "1"}, {"c", "1"}};
  EXPECT_EQ(met(*rules, request), "first/9/s skips/1/s denies/2/s shadow/3/s#1");
}

TEST(RuleSet, TheFirstCostThatMatchesCounts) {
  const auto rules = rules_of(R"(
rules:
  - name: r
    cost:
      - {path: /v1/export/**, cost: 25}
      - {method: GET, header: {x-cheap: "*"}, cost: 0}
      - {method: GET, cost: 2}
      - {cost: 3}
    limits: [100/s]
  - {name: fixed, cost: 7, limits: [100/s]}
  - {name: some, cost: [{method: POST, cost: 5}], limits: [100/s]}
)");
  EXPECT_EQ(met(*rules, get("/v1/export")), "r/100/s*25 fixed/100/s*7 some/100/s");
  EXPECT_EQ(met(*rules, get("/")), "r/100/s*2 fixed/100/s*7 some/100/s");
  auto request = get("/");
  request.headers = {{"X-Cheap", ""}};
  EXPECT_EQ(met(*rules, request), "r/100/s*0 fixed/100/s*7 some/100/s");
  request.method = "POST";
  EXPECT_EQ(met(*rules, request), "r/100/s*3 fixed/100/s*7 some/100/s*5");
  request.cost = 11;
  EXPECT_EQ(met(*rules, request), "r/100/s*11 fixed/100/s*11 some/100/s*11")
      << "the request's own replaces them";
}

TEST(RuleSet, PlansChooseTheList) {
  const auto rules = rules_of(R"(
plans: {by: "header:x-plan", default: free}
rules:
  - name: r
    limits: {free: [1/s, 50/day], pro: 10/s, vip: unlimited}
  - {name: everyone, limits: [99/s]}
)");
  const auto as = [&rules](std::string plan) {
    TestRequest request;
    request.headers = {{"X-Plan", std::move(plan)}};
    return met(*rules, request);
  };
  EXPECT_EQ(as("pro"), "r/10/s everyone/99/s");
  EXPECT_EQ(as("free"), "r/1/s r/50/day everyone/99/s");
  EXPECT_EQ(as("vip"), "everyone/99/s");
  EXPECT_EQ(as("unknown"), as("free"));
  EXPECT_EQ(as("PRO"), as("free"));
  EXPECT_EQ(as(""), as("free"));
  EXPECT_EQ(met(*rules, {}), as("free"));
}

TEST(RuleSet, PlansByMapAndByAlternatives) {
  const auto rules = rules_of(R"(
plans:
  by: {key: "header:x-api-key | cookie:key", map: {k1: pro, k2: gold}}
  default: free
rules:
  - {name: r, limits: {free: 1/s, pro: 10/s}}
)");
  const auto as = [&rules](Pairs headers) {
    TestRequest request;
    request.headers = std::move(headers);
    return met(*rules, request);
  };
  EXPECT_EQ(as({{"x-api-key", "k1"}}), "r/10/s");
  EXPECT_EQ(as({{"cookie", "key=k1"}}), "r/10/s");
  EXPECT_EQ(as({{"x-api-key", "k2"}}), "r/1/s") << "a plan that the rule does not name";
  EXPECT_EQ(as({{"x-api-key", "pro"}}), "r/1/s") << "a plan's name is no key";
  EXPECT_EQ(as({{"x-api-key", "k3"}, {"cookie", "key=k1"}}), "r/1/s")
      << "the first that is present";
}

TEST(RuleSet, PlansFromAFile) {
  const auto loaded = load_config(WEIR_TEST_DATA "/config/good/plan_file.yaml");
  ASSERT_TRUE(loaded.config);
  const auto as = [&](const std::string& key) {
    TestRequest request;
    request.headers = {{"authorization", "Bearer " + key}};
    return met(*loaded.config->rules, request);
  };
  EXPECT_EQ(as("k0"), "a/100/min");
  EXPECT_EQ(as("k1"), "a/10/min");
  EXPECT_EQ(as("k2"), "a/100/min");
  EXPECT_EQ(as("key"), "a/3/min") << "the file's first line is its heading";
}

TEST(RuleSet, B68_PreflightsCanBeExempt) {
  const auto rules = rules_of(R"(
rules:
  - name: preflight
    match: {method: OPTIONS, header: {origin: "*", access-control-request-method: "*"}}
    exempt: true
  - {name: r, key: ip, limits: [2/min]}
)");
  TestRequest request;
  request.method = "OPTIONS";
  request.headers = {{"Origin", "https://app.example"}, {"Access-Control-Request-Method", "PUT"}};
  EXPECT_EQ(met(*rules, request), "exempt preflight");
  request.headers.pop_back();
  EXPECT_EQ(met(*rules, request), "r/2/min") << "a plain OPTIONS request is a request";
  request.method = "GET";
  EXPECT_EQ(met(*rules, request), "r/2/min");
}

TEST(RuleSet, B86_ARuleIsMetOnceHoweverManyOfItsPathsMatch) {
  const auto rules = rules_of(
      "rules:\n  - {name: r, match: {path: [/**, /a/*, /a/b]}, limits: [5/min, 50/day]}\n");
  EXPECT_EQ(met(*rules, get("/a/b")), "r/5/min r/50/day");
}

TEST(RuleSet, TheRouteIsTheFirstPatternInTheFilesOrder) {
  const auto rules =
      rules_of("rules:\n  - {name: r, key: route, match: {path: [/**, /a/*]}, limits: [1/s]}\n");
  EXPECT_EQ(key_of(*rules, get("/a/b")), key_of(*rules, get("/c")));
}

TEST(RuleSet, NamesItsLimits) {
  const auto rules = rules_of("limits: {api: 10/s, login: 5/min}\n");
  ASSERT_NE(rules->named_limit("api"), nullptr);
  EXPECT_EQ(rules->named_limit("api")->name, "api");
  EXPECT_EQ(rules->named_limit("api")->rule, "");
  EXPECT_EQ(rules->named_limit("other"), nullptr);
  EXPECT_EQ(rules->named_limit(""), nullptr);
}

TEST(RuleSet, AMatchIsUsedAgain) {
  const auto rules = rules_of("rules:\n  - {name: r, match: {path: /a}, key: ip, limits: [1/s]}\n");
  Match match;
  for (const auto* target : {"/a", "/b", "/a"}) {
    get(target).with([&](const Request& request) { rules->match(request, {}, match); });
    EXPECT_EQ(match.hits.size(), target[1] == 'a' ? 1u : 0u);
    EXPECT_EQ(match.keys.size(), match.hits.size());
  }
}

TEST(RuleSet, KeysAreOfTheSecret) {
  const auto rules = rules_of("rules:\n  - {name: r, key: ip, limits: [1/s]}\n");
  Match one, other;
  TestRequest{}.with([&](const Request& request) {
    rules->match(request, KeySecret{1, 2}, one);
    rules->match(request, KeySecret{1, 3}, other);
  });
  EXPECT_NE(one.keys.front(), other.keys.front());
}

TEST(RuleSet, HoldsBesideHugeAndOddRequests) {
  const auto rules = rules_of(
      "clients: {trusted_proxies: [unix]}\nrules:\n"
      "  - {name: r, match: {path: /**/x}, key: [ip, path, 'query:q | host'], limits: [1/s]}\n");
  auto request = get("/" + std::string(1 << 20, '/') + "x?q=" + std::string(1 << 20, '%'));
  request.headers = {{"", ""},
                     {"x-forwarded-for", std::string(1 << 16, ',')},
                     {"x-forwarded-for", std::string("\0\xff", 2)}};
  EXPECT_EQ(met(*rules, request), "r/1/s");
}

TEST(RuleSet, ManyThreadsMatchAgainstOne) {
  const auto rules = rules_of(
      "plans: {by: 'header:x-plan', default: free}\n"
      "rules:\n"
      "  - {name: e, match: {path: /e}, exempt: true}\n"
      "  - {name: r, match: {path: /a/*}, key: [ip, path], limits: {free: 1/s, pro: 2/s}}\n");
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t number = 0; number < wrong.size(); ++number) {
    threads.emplace_back([&rules, &wrong, number] {
      TestRequest request = get("/a/" + std::to_string(number));
      const bool pro = number % 2 == 1;
      if (pro) request.headers = {{"x-plan", "pro"}};
      const auto key = key_of(*rules, request);
      for (int i = 0; i < 200; ++i) {
        if (met(*rules, request) != (pro ? "r/2/s" : "r/1/s")) ++wrong[number];
        if (met(*rules, get("/e")) != "exempt e") ++wrong[number];
        if (key_of(*rules, request) != key) ++wrong[number];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

TEST(RuleSet, AVerdictLeavesNothingOfTheOneBefore) {
  const auto rules = rules_of(
      "rules:\n"
      "  - {name: e, match: {path: /e}, exempt: true}\n"
      "  - {name: d, match: {path: /d}, key: header:x, missing: deny, limits: [1/s]}\n"
      "  - {name: r, limits: [1/s]}\n");
  Match match;
  const auto verdict_of = [&](const char* target) {
    get(target).with([&](const Request& request) { rules->match(request, {}, match); });
    return match.verdict;
  };
  EXPECT_EQ(verdict_of("/e"), Match::Verdict::exempt);
  EXPECT_EQ(verdict_of("/r"), Match::Verdict::limited);
  EXPECT_EQ(match.rule, nullptr);
  EXPECT_EQ(verdict_of("/d"), Match::Verdict::forbidden);
  EXPECT_EQ(*match.rule, "d");
  EXPECT_TRUE(match.hits.empty() && match.keys.empty());
  EXPECT_EQ(verdict_of("/r"), Match::Verdict::limited);
  EXPECT_EQ(match.hits.size(), 1u);
}

/// The index finds what comparing every pattern finds.
TEST(RuleSet, TheIndexFindsEveryPattern) {
  const std::vector<std::string> patterns{"/",       "/a",       "/a/b",    "/a/*",    "/*",
                                          "/**",     "/a/**",    "/**/b",   "/a/**/b", "/*/b",
                                          "/a/b/**", "/a/b/*/c", "/b/**/a", "/*/*/*"};
  std::string yaml = "rules:\n";
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    yaml += fmt::format("  - {{name: r{0}, match: {{path: ['{1}', '{2}']}}, limits: [{0}/s]}}\n", i,
                        patterns[i], patterns[(i + 5) % patterns.size()]);
  }
  const auto rules = rules_of(yaml);
  rc::check([&] {
    std::string target = "/";
    for (const auto& each : *rc::gen::container<std::vector<std::string>>(
             rc::gen::element<std::string>("a", "b", "c", "a/b"))) {
      target += each + "/";
    }
    NormalPath path;
    path.assign(target);
    std::string expected;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const auto matches = [&](std::size_t at) {
        return PathPattern::parse(patterns[at % patterns.size()])->matches(path.segments());
      };
      if (matches(i) || matches(i + 5)) {
        expected += fmt::format("{0}r{1}/{1}/s", expected.empty() ? "" : " ", i);
      }
    }
    RC_ASSERT(met(*rules, get(target)) == expected);
  });
}

}  // namespace
}  // namespace weir::rules
