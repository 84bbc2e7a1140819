// SPDX-License-Identifier: Apache-2.0
#include "front/headers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <boost/json.hpp>

#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

#include "limit/step.hpp"

namespace weir::front {
namespace {

using namespace std::chrono_literals;
using limiter::Status;
using limiter::Verdict;

constexpr Time start{1'700'000'000s};

rules::RuleLimit rule_limit(const Limit& limit) {
  return {"api", "per-client", CompiledLimit(limit), false, {}, 0};
}

Verdict verdict_of(const rules::RuleLimit& limit, const Decision& decision) {
  Verdict verdict;
  verdict.status = decision.allowed ? Status::allowed : Status::refused;
  verdict.limit = &limit;
  verdict.decision = decision;
  verdict.delay = decision.delay;
  return verdict;
}

using Fields = std::map<std::string, std::string>;

Fields fields_of(const Verdict& verdict, const rules::HeaderConfig& config = {}, Time now = start,
                 std::uint64_t random = 0) {
  Fields fields;
  for (const auto& field : render_headers(verdict, config, now, random)) {
    EXPECT_TRUE(fields.emplace(field.name(), field.value()).second) << field.name();
  }
  return fields;
}

Decision refused(Duration retry_after, Duration reset_after) {
  return {.allowed = false,
          .limit = 10,
          .capacity = 50,
          .remaining = 3,
          .retry_after = retry_after,
          .reset_after = reset_after};
}

const auto bucket = rule_limit(token_bucket(10, 1s).with_burst(50));

TEST(Headers, AnAdmittedRequestIsToldWhatIsLeft) {
  const Decision decision{
      .allowed = true, .limit = 10, .capacity = 50, .remaining = 49, .reset_after = 100ms};
  EXPECT_EQ(fields_of(verdict_of(bucket, decision)), (Fields{{"X-RateLimit-Limit", "50"},
                                                             {"X-RateLimit-Remaining", "49"},
                                                             {"X-RateLimit-Reset", "1"}}));
}

TEST(Headers, ARefusalTellsWhenToComeBackAndIsNotStored) {
  EXPECT_EQ(fields_of(verdict_of(bucket, refused(1500ms, 4s))),
            (Fields{{"X-RateLimit-Limit", "50"},
                    {"X-RateLimit-Remaining", "3"},
                    {"X-RateLimit-Reset", "4"},
                    {"Retry-After", "2"},
                    {"Cache-Control", "no-store"}}));
}

TEST(Headers, B03_ACostThatNeverFitsHasNoRetryAfter) {
  const auto fields = fields_of(verdict_of(bucket, refused(never, 4s)));
  EXPECT_EQ(fields.count("Retry-After"), 0u);
  EXPECT_EQ(fields.at("X-RateLimit-Remaining"), "3");
  EXPECT_EQ(fields.at("Cache-Control"), "no-store");
}

TEST(Headers, B04_WaitAdviceIsRoundedUpAndAtLeastASecond) {
  const auto advice = [](Duration wait) {
    return fields_of(verdict_of(bucket, refused(wait, wait))).at("Retry-After");
  };
  EXPECT_EQ(advice(1ns), "1");
  EXPECT_EQ(advice(233'333'334ns), "1");
  EXPECT_EQ(advice(1s), "1");
  EXPECT_EQ(advice(1s + 1ns), "2");
  EXPECT_EQ(advice(1h), "3600");
  EXPECT_EQ(advice(never - 1ns), "9223372037");
}

Limit any_limit() {
  const auto algorithm = static_cast<Algorithm>(*rc::gen::inRange(0, 5));
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 40);
  const auto period = std::chrono::milliseconds(*rc::gen::inRange(1, 100'000));
  const Limit limit(algorithm, count, period);
  return limit.has_burst() ? limit.with_burst(*rc::gen::inRange<std::uint64_t>(1, 40)) : limit;
}

TEST(Headers, B04_WhoWaitsAsToldIsAdmitted) {
  EXPECT_TRUE(rc::check([] {
    const Limit limit = any_limit();
    RC_PRE(limit.algorithm() != Algorithm::sliding_log);
    const auto compiled = rule_limit(limit);
    WideState state;
    Time now = start;
    for (int i = 0; i < 60; ++i) {
      now += std::chrono::milliseconds(*rc::gen::inRange(0, 3000));
      const auto cost = *rc::gen::inRange<std::uint64_t>(1, 20);
      const auto decision = step(compiled.limit, Verb::acquire, cost, now, state);
      const auto fields = fields_of(verdict_of(compiled, decision), {}, now);
      RC_ASSERT(std::stoull(fields.at("X-RateLimit-Remaining")) <=
                std::stoull(fields.at("X-RateLimit-Limit")));
      if (fields.count("Retry-After") == 0) continue;
      RC_ASSERT(!decision.allowed);
      const std::chrono::seconds told{std::stoll(fields.at("Retry-After"))};
      RC_ASSERT(told >= 1s && told >= decision.retry_after);
      WideState copy = state;
      RC_ASSERT(step(compiled.limit, Verb::acquire, cost, now + told, copy).allowed);
    }
  }));
}

TEST(Headers, B43_AdviceAfterTheVeryLastUnit) {
  const auto window = rule_limit(fixed_window(1, 1min));
  WideState state;
  const Time at = Time{} + 10s;
  auto fields =
      fields_of(verdict_of(window, step(window.limit, Verb::acquire, 1, at, state)), {}, at);
  EXPECT_EQ(fields.at("X-RateLimit-Remaining"), "0");
  EXPECT_EQ(fields.at("X-RateLimit-Reset"), "50");

  const auto slow = rule_limit(token_bucket(1, 2s).with_burst(2));
  WideState bucket_state;
  (void)step(slow.limit, Verb::acquire, 1, at, bucket_state);
  const auto decision = step(slow.limit, Verb::acquire, 1, at, bucket_state);
  fields = fields_of(verdict_of(slow, decision), {}, at);
  EXPECT_EQ(fields.at("X-RateLimit-Remaining"), "0");
  EXPECT_EQ(fields.at("X-RateLimit-Reset"), "4");
  fields =
      fields_of(verdict_of(slow, step(slow.limit, Verb::acquire, 1, at, bucket_state)), {}, at);
  EXPECT_EQ(fields.at("Retry-After"), "2");
}

TEST(Headers, B44_NoNumberIsEverNegative) {
  // A limit lowered below what was used: nothing remains, and the debt is not told as less than
  // that.
  const auto fields = fields_of(verdict_of(
      bucket, {.limit = 10, .capacity = 10, .remaining = 0, .retry_after = 3s, .reset_after = 5s}));
  for (const auto& [name, value] : fields) {
    if (name == "Cache-Control") continue;
    EXPECT_EQ(value.find_first_not_of("0123456789"), std::string::npos) << name << ": " << value;
  }
}

TEST(Headers, B46_ResetIsADeltaOrAnEpochAsConfiguredInEveryTimeZone) {
  const auto window = rule_limit(fixed_window(10, 5min));
  const auto verdict = verdict_of(
      window,
      {.limit = 10, .capacity = 10, .remaining = 0, .retry_after = 300s, .reset_after = 300s});
  for (const char* zone : {"UTC", "Europe/Vienna", "Asia/Kathmandu", "America/St_Johns"}) {
    setenv("TZ", zone, 1);
    tzset();
    EXPECT_EQ(fields_of(verdict).at("Retry-After"), "300") << zone;
    EXPECT_EQ(fields_of(verdict).at("X-RateLimit-Reset"), "300") << zone;
    const auto epoch = fields_of(verdict, {.reset_as_epoch = true, .retry_jitter = {}});
    EXPECT_EQ(epoch.at("Retry-After"), "300") << zone;
    EXPECT_EQ(epoch.at("X-RateLimit-Reset"), "1700000300") << zone;
  }
  unsetenv("TZ");
  tzset();
}

TEST(Headers, AnEpochIsRoundedUpAsAWhole) {
  const rules::HeaderConfig config{.reset_as_epoch = true, .retry_jitter = {}};
  const auto verdict = verdict_of(bucket, refused(700ms, 700ms));
  EXPECT_EQ(fields_of(verdict, config, start).at("X-RateLimit-Reset"), "1700000001");
  EXPECT_EQ(fields_of(verdict, config, start + 300ms).at("X-RateLimit-Reset"), "1700000001");
  EXPECT_EQ(fields_of(verdict, config, start + 301ms).at("X-RateLimit-Reset"), "1700000002");
}

TEST(Headers, B48_RetryAfterIsWhatIsLeftOfTheWindow) {
  const auto window = rule_limit(fixed_window(2, 20s));
  WideState state;
  for (int i = 0; i < 2; ++i) (void)step(window.limit, Verb::acquire, 1, Time{}, state);
  for (const Duration at : {Duration{19s}, Duration{19'999ms}}) {
    const auto decision = step(window.limit, Verb::acquire, 1, Time{at}, state);
    EXPECT_EQ(fields_of(verdict_of(window, decision), {}, Time{at}).at("Retry-After"), "1");
  }
}

TEST(Headers, JitterIsAddedNeverTakenAway) {
  const rules::HeaderConfig config{.reset_as_epoch = false, .retry_jitter = 3s};
  const auto verdict = verdict_of(bucket, refused(10s, 10s));
  std::map<std::string, int> seen;
  for (std::uint64_t i = 0; i < 4096; ++i)
    ++seen[fields_of(verdict, config, start, i << 52).at("Retry-After")];
  EXPECT_EQ(seen.begin()->first, "10");
  EXPECT_EQ(seen.rbegin()->first, "13");
  EXPECT_EQ(seen.size(), 4u);
  EXPECT_EQ(fields_of(verdict, config, start, ~std::uint64_t{0}).at("Retry-After"), "13");
  EXPECT_EQ(fields_of(verdict_of(bucket, refused(never, 1s)), config).count("Retry-After"), 0u);
}

TEST(Headers, B69_WhatIsNotAdmittedIsNeverStored) {
  for (const auto status : {Status::refused, Status::unavailable, Status::forbidden}) {
    auto verdict = verdict_of(bucket, refused(1s, 1s));
    verdict.status = status;
    EXPECT_EQ(fields_of(verdict).at("Cache-Control"), "no-store");
  }
}

TEST(Headers, B19_AStoreOutOfReachTellsNoNumbers) {
  auto verdict = verdict_of(bucket, refused(1s, 1s));
  verdict.status = Status::unavailable;
  EXPECT_EQ(http_status(verdict.status), 503);
  EXPECT_EQ(fields_of(verdict), (Fields{{"Cache-Control", "no-store"}}));

  verdict = verdict_of(bucket, {.allowed = true, .authority = Authority::fallback});
  EXPECT_EQ(http_status(verdict.status), 200);
  EXPECT_EQ(fields_of(verdict), Fields{});
}

TEST(Headers, WithoutALimitThereIsNothingToTell) {
  Verdict verdict;
  verdict.decision.allowed = true;
  EXPECT_EQ(fields_of(verdict), Fields{});
  verdict.status = Status::forbidden;
  EXPECT_EQ(http_status(verdict.status), 403);
  EXPECT_EQ(fields_of(verdict), (Fields{{"Cache-Control", "no-store"}}));
}

TEST(Headers, ABucketThatIsNeverFullAgainHasNoReset) {
  const auto fields = fields_of(verdict_of(bucket, refused(never, never)));
  EXPECT_EQ(fields.count("X-RateLimit-Reset"), 0u);
}

TEST(Headers, AnIdleQueueTellsNoMoreThanItsLimit) {
  const auto queue = rule_limit(leaky_queue(10, 1s).with_burst(5));
  WideState state;
  const auto decision = step(queue.limit, Verb::acquire, 0, start, state);
  EXPECT_EQ(fields_of(verdict_of(queue, decision)).at("X-RateLimit-Remaining"), "5");
}

TEST(Problem, NamesTheLimitThatDecides) {
  const auto limit = rules::RuleLimit{"a \"quoted\"\nname", "r", bucket.limit, false, {}, 0};
  auto verdict = verdict_of(limit, refused(1s, 1s));
  std::string body;
  append_problem(verdict, body);
  const auto problem = boost::json::parse(body).as_object();
  EXPECT_EQ(problem.at("type"), "https://iana.org/assignments/http-problem-types#quota-exceeded");
  EXPECT_EQ(problem.at("status"), 429);
  EXPECT_EQ(problem.at("violated-policies").at(0), "a \"quoted\"\nname");
}

TEST(Problem, EveryStatusHasItsOwn) {
  for (const auto status : {Status::unavailable, Status::forbidden}) {
    Verdict verdict;
    verdict.status = status;
    std::string body;
    append_problem(verdict, body);
    const auto problem = boost::json::parse(body).as_object();
    EXPECT_EQ(problem.at("status").as_int64(), http_status(status));
    EXPECT_TRUE(problem.contains("title"));
    EXPECT_FALSE(problem.contains("violated-policies"));
  }
}

}  // namespace
}  // namespace weir::front
