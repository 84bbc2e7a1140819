// SPDX-License-Identifier: Apache-2.0
#include "cli/request_log.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace weir::cli {
namespace {

constexpr std::size_t plenty = std::size_t{64} << 20;

LoggedRequest request_at(std::int64_t seconds, std::string_view target = "/") {
  return {.time = Time{std::chrono::seconds{seconds}},
          .client = "198.18.0.1",
          .method = "GET",
          .target = target,
          .referer = "",
          .user_agent = "agent"};
}

TEST(RequestLog, GivesBackWhatWasAdded) {
  RequestLog log(plenty);
  {
    const std::string client = "2001:db8::1", target = "/a?b=c", referer = "r", agent = "u";
    ASSERT_TRUE(log.add({Time{Duration{7}}, client, "PUT", target, referer, agent}));
  }
  const auto request = log[0];
  EXPECT_EQ(request.time, Time{Duration{7}});
  EXPECT_EQ(request.client, "2001:db8::1");
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.target, "/a?b=c");
  EXPECT_EQ(request.referer, "r");
  EXPECT_EQ(request.user_agent, "u");
}

TEST(RequestLog, EqualTextsAreKeptOnce) {
  RequestLog log(plenty);
  ASSERT_TRUE(log.add(request_at(1, std::string(30, 'x'))));
  ASSERT_TRUE(log.add(request_at(2, std::string(30, 'x'))));
  EXPECT_EQ(log[0].target.data(), log[1].target.data());
}

TEST(RequestLog, SortingKeepsTheOrderWithinAnInstant) {
  rc::check([](const std::vector<std::uint8_t>& seconds) {
    RequestLog log(plenty);
    std::vector<std::pair<std::int64_t, std::string>> expected;
    for (const auto second : seconds) {
      expected.emplace_back(second % 8, std::to_string(expected.size()));
      RC_ASSERT(log.add(request_at(second % 8, expected.back().second)));
    }
    log.sort();
    std::ranges::stable_sort(expected, {}, [](const auto& pair) { return pair.first; });
    for (std::size_t at = 0; at < expected.size(); ++at) {
      RC_ASSERT(log[at].time == Time{std::chrono::seconds{expected[at].first}});
      RC_ASSERT(log[at].target == expected[at].second);
    }
  });
}

TEST(RequestLog, TakesNoMoreThanItsMemory) {
  RequestLog equal(10'000), different(10'000);
  std::size_t equals = 0, differents = 0;
  while (equal.add(request_at(1))) ASSERT_LT(++equals, 10'000u);
  while (different.add(request_at(1, std::to_string(differents)))) ASSERT_LT(++differents, 10'000u);
  EXPECT_EQ(equal.size(), equals);
  EXPECT_GT(equals, 100u) << "a record costs 48 bytes";
  EXPECT_LT(differents, equals) << "texts cost too";
}

}  // namespace
}  // namespace weir::cli
