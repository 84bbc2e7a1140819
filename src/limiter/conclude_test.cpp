// SPDX-License-Identifier: Apache-2.0
#include "limiter/conclude.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weir::limiter {
namespace {

using namespace std::chrono_literals;

const rules::RuleLimit first{"first", "rule", CompiledLimit(fixed_window(60, 60s)), false, {}, 0};
const rules::RuleLimit second{"second", "rule", CompiledLimit(fixed_window(2, 1h)), false, {}, 1};

HitVerdict admitted(const rules::RuleLimit& limit, std::uint64_t remaining, Duration delay = 0s) {
  return {&limit,
          1,
          {{.allowed = true,
            .limit = limit.limit.limit.count(),
            .capacity = limit.limit.limit.capacity(),
            .remaining = remaining,
            .delay = delay}}};
}

HitVerdict refused(const rules::RuleLimit& limit, Duration retry_after) {
  return {&limit,
          1,
          {{.limit = limit.limit.limit.count(),
            .capacity = limit.limit.limit.capacity(),
            .retry_after = retry_after,
            .reset_after = retry_after}}};
}

HitVerdict unavailable(const rules::RuleLimit& limit) {
  return {&limit, 1, {{}, Outcome::Status::unavailable}};
}

TEST(Conclude, WithoutLimitsTheRequestIsAdmitted) {
  const auto verdict = conclude({}, 0);
  EXPECT_EQ(verdict.status, Status::allowed);
  EXPECT_TRUE(verdict.decision.allowed);
  EXPECT_EQ(verdict.limit, nullptr);
}

TEST(Conclude, AdmittedIsToldByTheLeastRemainingInProportion) {
  const std::vector hits{admitted(first, 20), admitted(second, 1)};
  EXPECT_EQ(conclude(hits, 2).limit, &first);  // 20 of 60 is less than 1 of 2
  const std::vector equal{admitted(second, 1), admitted(first, 30)};
  EXPECT_EQ(conclude(equal, 2).limit, &second);
}

TEST(Conclude, B05_RefusedIsToldByTheLongestWait) {
  const std::vector one{admitted(first, 57), refused(second, 1h)};
  const auto verdict = conclude(one, 2);
  EXPECT_EQ(verdict.status, Status::refused);
  EXPECT_EQ(verdict.limit, &second);
  EXPECT_EQ(verdict.decision, one[1].outcome.decision);

  const std::vector both{refused(first, 60s), refused(second, 1h)};
  EXPECT_EQ(conclude(both, 2).limit, &second);
  const std::vector never_first{refused(first, never), refused(second, 1h)};
  EXPECT_EQ(conclude(never_first, 2).limit, &first);
  const std::vector equal{refused(first, 60s), refused(second, 60s)};
  EXPECT_EQ(conclude(equal, 2).limit, &first);
}

TEST(Conclude, ARefusalOutweighsALimitThatCouldNotBeAsked) {
  const std::vector hits{unavailable(first), refused(second, 1s)};
  EXPECT_EQ(conclude(hits, 2).status, Status::refused);
  const std::vector unsure{admitted(second, 1), unavailable(first)};
  EXPECT_EQ(conclude(unsure, 2).status, Status::unavailable);
}

TEST(Conclude, ShadowHitsNeverDecide) {
  const std::vector hits{admitted(first, 59), refused(second, 1h)};
  const auto verdict = conclude(hits, 1);
  EXPECT_EQ(verdict.status, Status::allowed);
  EXPECT_EQ(verdict.limit, &first);
  EXPECT_EQ(verdict.hits.size(), 2u);
  EXPECT_EQ(conclude(std::span(hits).subspan(1), 0).status, Status::allowed);
}

TEST(Conclude, TheLongestDelayOfAllEnforcedLimitsIsWaitedFor) {
  const std::vector hits{admitted(first, 1, 2s), admitted(second, 1, 5s), admitted(second, 1, 9s)};
  const auto verdict = conclude(hits, 2);
  EXPECT_EQ(verdict.limit, &first);
  EXPECT_EQ(verdict.delay, 5s);
}

}  // namespace
}  // namespace weir::limiter
