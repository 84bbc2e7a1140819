// SPDX-License-Identifier: Apache-2.0
// Each section of weir.yaml on its own: what it takes and what it refuses.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "rules/config.hpp"
#include "rules/test_request.hpp"

namespace weir::rules {
namespace {

using namespace std::chrono_literals;

/// The problems of a text without their places; empty where it is good.
std::string faults(const std::string& yaml) {
  std::string text;
  for (const auto& problem : parse_config(yaml, "f").problems) {
    text +=
        fmt::format("{}{}: {}\n", problem.warning ? "warning: " : "", problem.field, problem.text);
  }
  return text;
}

bool good(const std::string& yaml) { return faults(yaml).empty(); }

/// The problems of a rule that has this beside a name.
std::string rule_faults(const std::string& keys, const std::string& before = "") {
  return faults(before + "rules:\n  - {name: r, " + keys + "}\n");
}

TEST(Listen, TakesTheAddressesThatThereAre) {
  for (const auto* address :
       {"127.0.0.1:80", ":80", ":0", "localhost:65535", "a-b.example_1:1", "[::1]:80",
        "[2001:db8::1]:0", "unix:weir.sock", "unix:/run/weir/weir sock"}) {
    EXPECT_EQ(faults(fmt::format("listen: {{http: \"{}\"}}\n", address)), "") << address;
  }
}

TEST(Listen, RefusesWhatIsNone) {
  for (const auto* address :
       {"80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80",
        "[127.0.0.1]:80", "[::1]", "[::1:80", "a b:80", "a/b:80", "unix:", "http://a:80", ""}) {
    EXPECT_FALSE(good(fmt::format("listen: {{http: \"{}\"}}\n", address))) << address;
  }
  EXPECT_FALSE(good("listen: {http: 'unix:" + std::string(108, 'a') + "'}\n"));
}

TEST(Listen, OneAddressIsOneDoors) {
  EXPECT_EQ(faults("listen: {http: ['127.0.0.1:80', '127.0.0.1:80']}\n"),
            "listen.http[1]: '127.0.0.1:80' is taken by listen.http[0]\n");
  EXPECT_EQ(faults("listen: {http: ['127.0.0.1:0', '127.0.0.1:0'], resp: '127.0.0.1:0'}\n"), "")
      << "port 0 is another port each time";
}

TEST(Memory, HasASizeAndAWay) {
  EXPECT_EQ(parse_config("memory: 1GiB\n", "f").config->memory_bytes, std::size_t{1} << 30);
  const auto loaded = parse_config("memory: {when_full: deny}\n", "f");
  EXPECT_EQ(loaded.config->when_full, WhenFull::deny);
  EXPECT_EQ(loaded.config->memory_bytes, std::size_t{256} << 20);
  EXPECT_FALSE(good("memory: [1GiB]\n"));
  EXPECT_FALSE(good("memory: 63KiB\n"));
  EXPECT_FALSE(good("memory: 2TiB\n"));
}

TEST(Clients, AreTrustedByNetwork) {
  EXPECT_TRUE(good("clients: {trusted_proxies: 10.0.0.1}\n"));
  EXPECT_TRUE(good(
      "clients: {trusted_proxies: [\"::1\", \"::ffff:10.0.0.0/104\", unix], header: X-Real-IP}\n"));
  EXPECT_FALSE(good("clients: {trusted_proxies: [loopback]}\n"));
  EXPECT_FALSE(good("clients: {trusted_proxies: {a: b}}\n"));
  EXPECT_FALSE(good("clients: {ipv6_prefix: 129}\n"));
}

TEST(Clients, TrustInEverybodyIsAWarning) {
  for (const auto* network : {"0.0.0.0/0", "::/0", "::ffff:0:0/96", "64:ff9b::/96"}) {
    EXPECT_NE(faults(fmt::format("clients: {{trusted_proxies: ['{}']}}\n", network))
                  .find("trusts everybody"),
              std::string::npos)
        << network;
  }
}

TEST(Plans, HaveASourceAndADefault) {
  EXPECT_TRUE(good("plans: {by: 'header:x-plan', default: free}\n"));
  EXPECT_TRUE(good("plans: {by: {key: 'lower(bearer) | cookie:a'}, default: free}\n"));
  EXPECT_NE(faults("plans: {default: free}\n").find("'by' is missing"), std::string::npos);
  EXPECT_NE(faults("plans: {by: ip}\n").find("'default' is missing"), std::string::npos);
  EXPECT_NE(faults("plans: {by: route, default: free}\n").find("'route'"), std::string::npos);
  EXPECT_NE(faults("plans: {by: 'known(bearer)', default: free}\n").find("there are none"),
            std::string::npos);
  EXPECT_NE(faults("plans: {by: [ip, host], default: free}\n").find("plans.by: is a list"),
            std::string::npos);
  EXPECT_FALSE(good("plans: {by: ip, default: ' free'}\n"));
}

TEST(Plans, MapsGoFromValuesToNames) {
  const std::string rules = "rules:\n  - {name: r, limits: {free: 1/s, pro: 2/s}}\n";
  EXPECT_EQ(faults("plans: {by: {key: bearer, map: {a: pro, b: free}}, default: free}\n" + rules),
            "");
  EXPECT_FALSE(good("plans: {by: {key: bearer, map: {a: [pro]}}, default: free}\n"));
  EXPECT_FALSE(good("plans: {by: {key: bearer, map: [a]}, default: free}\n"));
  EXPECT_EQ(faults("plans: {by: {key: bearer, map: {a: pro, a: free}}, default: free}\n" + rules),
            "plans.by.map.a: stands here a second time; the first is at 1:33\n");
}

TEST(Plans, AreToldWhereOneSideLacksThem) {
  EXPECT_EQ(faults("plans: {by: {key: bearer, map: {a: pro}}, default: free}\n"
                   "rules:\n  - {name: r, limits: {free: 1/s, por: 2/s}}\n"),
            "warning: plans.by.map.a: no rule names the plan 'pro': it gets the limits of 'free'\n"
            "warning: rules[0].limits.por: nobody has the plan 'por'\n");
}

TEST(Plans, AFileIsNeverAPipeOrAFolder) {
  for (const auto* file : {"/dev/zero", "/dev/stdin", "/", "/nowhere", "nowhere"}) {
    EXPECT_NE(faults(fmt::format("plans: {{by: {{key: bearer, file: {}}}, default: free}}\n", file))
                  .find("is no file that can be read"),
              std::string::npos)
        << file;
  }
}

TEST(Rules, WantAListForEachPlanOrOneForAll) {
  const std::string plans = "plans: {by: 'header:x-plan', default: free}\n";
  EXPECT_EQ(rule_faults("limits: {free: 1/s, pro: [2/s, 9/day], vip: unlimited}", plans), "");
  EXPECT_EQ(rule_faults("limits: {rate: 1/s}", plans), "");
  EXPECT_EQ(rule_faults("limits: {free: 1/s}"),
            "rules[0].limits: names plans, but there is no 'plans' that says who has which\n");
  EXPECT_EQ(rule_faults("limits: {pro: 1/s}", plans),
            "rules[0].limits: the default plan 'free' is missing\n");
  EXPECT_EQ(rule_faults("limits: {free: [unlimited, 1/s]}", plans),
            "rules[0].limits.free[0]: 'unlimited' is a list of its own and stands alone\n");
  EXPECT_EQ(rule_faults("limits: unlimited"),
            "warning: rules[0].limits: limits nothing: 'unlimited' is for plans\n");
}

TEST(Rules, ExemptOrLimit) {
  EXPECT_EQ(rule_faults("match: {path: /a}, exempt: true"), "");
  EXPECT_EQ(rule_faults("limits: [1/s], exempt: false, shadow: false"), "");
  EXPECT_EQ(rule_faults("exempt: false"),
            "rules[0]: has neither 'limits' nor 'exempt: true': it would do nothing\n");
  EXPECT_EQ(rule_faults("match: {path: /a}, exempt: true, limits: [1/s]"),
            "rules[0].limits: has no meaning beside 'exempt: true', which counts nothing\n");
}

TEST(Rules, AMisspeltKeyIsOneProblem) {
  EXPECT_EQ(rule_faults("limit: [1/s]"), "rules[0].limit: unknown key; did you mean 'limits'?\n");
  EXPECT_EQ(rule_faults("exmept: true"), "rules[0].exmept: unknown key; did you mean 'exempt'?\n");
  EXPECT_EQ(rule_faults("limits: "), "rules[0].limits: nothing stands behind this key\n");
}

TEST(Rules, AWrongNamedLimitIsOneProblem) {
  EXPECT_EQ(
      rule_faults("limits: [a, b]", "limits: {a: 1/x, b: 5/min}\n"),
      "limits.a.rate: '1/x': unknown unit 'x'; units are ms, s, min, h, day, week, month, year\n");
}

TEST(Rules, KeysThatCanMissSayWhatThen) {
  EXPECT_EQ(rule_faults("limits: [1/s], key: 'header:x | ip'"), "");
  EXPECT_EQ(rule_faults("limits: [1/s], key: 'header:x', missing: skip"), "");
  EXPECT_NE(rule_faults("limits: [1/s], key: 'header:x'").find("write 'header:x | ip'"),
            std::string::npos);
  EXPECT_EQ(rule_faults("limits: [1/s], key: ip, missing: deny"),
            "warning: rules[0].missing: has no effect: every request has this key\n");
  EXPECT_EQ(rule_faults("limits: [1/s], key: 'ip | header:x | host'"),
            "warning: rules[0].key: 'header:x' is never reached: 'ip' is always there\n");
}

TEST(Rules, TheRouteNeedsAPath) {
  EXPECT_EQ(rule_faults("limits: [1/s], match: {path: /a/*}, key: route"), "");
  EXPECT_EQ(
      rule_faults("limits: [1/s], match: {method: GET}, key: route"),
      "rules[0].key: 'route': is the path pattern that matched; here is no 'match' with a path\n");
}

TEST(Rules, LimitsThatDifferOnlyInTheirSizeAreOne) {
  EXPECT_EQ(rule_faults("limits: [10/s, 5000/day]"), "");
  EXPECT_EQ(rule_faults("limits: [10/s burst 50, 20/s]"), "")
      << "each can refuse what the other admits";
  EXPECT_EQ(rule_faults("limits: [10/s, 20/s sliding_log]"), "");
  EXPECT_NE(rule_faults("limits: [20/s, 10/s]").find("'20/s' never decides"), std::string::npos);
  EXPECT_NE(rule_faults("limits: [10/s, 10/s burst 20]").find("'10/s burst 20' never decides"),
            std::string::npos);
}

TEST(Rules, CostsAboveALimitAreAWarning) {
  EXPECT_EQ(rule_faults("limits: [10/s, 50/min], cost: 10"), "");
  EXPECT_EQ(rule_faults("limits: [10/s, 50/min], cost: 11"),
            "warning: rules[0].cost: a cost of 11 is above the 10 units of '10/s' at 2:24: never "
            "admitted there\n");
}

TEST(Limits, AreReadInBothForms) {
  const auto loaded = parse_config(
      "limits:\n"
      "  a: 10/s burst 50\n  b: {rate: 10/s, burst: 50}\n  c: {rate: 5/15min, algorithm: "
      "sliding_log}\n"
      "  d: 5/15min sliding_log\n  e: 10/s gcra\n  f: 10/s leaky_queue burst 3\n",
      "f");
  ASSERT_TRUE(loaded.config);
  const auto limit = [&](std::string_view name) {
    return loaded.config->rules->named_limit(name)->limit.limit;
  };
  EXPECT_EQ(limit("a"), token_bucket(10, 1s).with_burst(50));
  EXPECT_EQ(limit("b"), limit("a"));
  EXPECT_EQ(limit("c"), sliding_log(5, 15min));
  EXPECT_EQ(limit("d"), limit("c"));
  EXPECT_EQ(limit("e"), token_bucket(10, 1s));
  EXPECT_EQ(limit("f"), leaky_queue(10, 1s).with_burst(3));
}

TEST(Limits, AnInlineLimitMayHaveAName) {
  const auto rules =
      rules_of("rules:\n  - {name: r, limits: [{name: quick, rate: 10/s}, 50/min]}\n");
  EXPECT_EQ(met(*rules, {}), "r/quick r/50/min");
  EXPECT_FALSE(good("limits: {a: {name: b, rate: 1/s}}\n")) << "that one has its name already";
}

}  // namespace
}  // namespace weir::rules
