// SPDX-License-Identifier: Apache-2.0
// CL.THROTTLE, command by command, as redis-cell answers.
#include "front/resp/throttle.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <charconv>

#include "front/resp/session_fixture.hpp"

namespace weir::front::resp {
namespace {

using namespace std::chrono_literals;

std::string five(std::int64_t limited, std::int64_t limit, std::int64_t remaining,
                 std::int64_t retry_after, std::int64_t reset_after) {
  std::string reply = "*5\r\n";
  for (const auto value : {limited, limit, remaining, retry_after, reset_after}) {
    reply.append(":").append(std::to_string(value)).append("\r\n");
  }
  return reply;
}

class ThrottleTest : public SessionTest {};

TEST_F(ThrottleTest, TheTableOfRediscellsOwnTests) {
  struct Case {
    Duration at;
    int quantity;
    int remaining, reset_after, retry_after, limited;
  };
  const Case cases[] = {
      {0ms, 6, 5, 0, -1, 1},    {0ms, 1, 4, 1, -1, 0},    {0ms, 1, 3, 2, -1, 0},
      {0ms, 1, 2, 3, -1, 0},    {0ms, 1, 1, 4, -1, 0},    {0ms, 1, 0, 5, -1, 0},
      {0ms, 1, 0, 5, 1, 1},     {3000ms, 1, 2, 3, -1, 0}, {3100ms, 1, 1, 4, -1, 0},
      {4000ms, 1, 1, 4, -1, 0}, {8000ms, 1, 4, 1, -1, 0}, {9500ms, 1, 4, 1, -1, 0},
      {9500ms, 0, 4, 1, -1, 0}, {9500ms, 2, 2, 3, -1, 0}, {9500ms, 5, 2, 3, 3, 1}};
  const Time start = now;
  for (const auto& c : cases) {
    now = start + c.at;
    EXPECT_EQ(type("CL.THROTTLE foo 4 1 1 " + std::to_string(c.quantity)),
              five(c.limited, 5, c.remaining, c.retry_after, c.reset_after))
        << "at " << c.at.count() << " quantity " << c.quantity;
  }
}

TEST_F(ThrottleTest, B03_CostLargerThanTheCapacity) {
  EXPECT_EQ(type("CL.THROTTLE k 4 1 60 10"), five(1, 5, 5, -1, 0));
  EXPECT_EQ(type("CL.THROTTLE k 4 1 60 5"), five(0, 5, 0, -1, 300));  // untouched by the refusal
}

TEST_F(ThrottleTest, B04_WaitAdviceIsNeverRoundedDown) {
  EXPECT_EQ(type("CL.THROTTLE k 0 3 1"), five(0, 1, 0, -1, 1));
  now += 100ms;
  EXPECT_EQ(type("CL.THROTTLE k 0 3 1"), five(1, 1, 0, 1, 1));
  // Half a millisecond above whole seconds is another second: after one only it would be refused.
  EXPECT_EQ(type("CL.THROTTLE other 0 1 2"), five(0, 1, 0, -1, 2));
  now += 999ms + 500us;
  EXPECT_EQ(type("CL.THROTTLE other 0 1 2"), five(1, 1, 0, 2, 2));
}

TEST_F(ThrottleTest, B39_CostEqualToTheCapacity) {
  const Time start = now;
  EXPECT_EQ(type("CL.THROTTLE k 4 60 60 1"), five(0, 5, 4, -1, 1));
  EXPECT_EQ(type("CL.THROTTLE k 4 60 60 5"), five(1, 5, 4, 1, 1));
  now = start + 1s;
  EXPECT_EQ(type("CL.THROTTLE k 4 60 60 5"), five(0, 5, 0, -1, 5));
  now = start + 100s;
  EXPECT_EQ(type("CL.THROTTLE k 4 60 60 6"), five(1, 5, 5, -1, 0));
}

TEST_F(ThrottleTest, B40_ExactReply) {
  EXPECT_EQ(type("CL.THROTTLE user123 15 30 60"), five(0, 16, 15, -1, 2));
  EXPECT_EQ(type("CL.THROTTLE user123 15 30 60 1"), five(0, 16, 14, -1, 4));
}

TEST_F(ThrottleTest, B40_AClosedLoopGetsItsRateAndNoMore) {
  const Time start = now;
  int admitted = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool limited = type("CL.THROTTLE k 10 100 1 1").starts_with("*5\r\n:1\r\n");
    if (limited) now += 100ms;
    admitted += limited ? 0 : 1;
  }
  const auto elapsed_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now - start).count();
  EXPECT_LE(admitted, 11 + elapsed_ms / 10);
  EXPECT_GE(admitted, 11 + elapsed_ms / 10 - 10);
}

TEST_F(ThrottleTest, ANegativeQuantityGivesBackNeverBeyondFull) {
  EXPECT_EQ(type("CL.THROTTLE k 4 1 1 5"), five(0, 5, 0, -1, 5));
  EXPECT_EQ(type("CL.THROTTLE k 4 1 1 -2"), five(0, 5, 2, -1, 3));
  EXPECT_EQ(type("CL.THROTTLE k 4 1 1 -9223372036854775808"), five(0, 5, 5, -1, 0));
}

TEST_F(ThrottleTest, TheKeyAloneIsCountedWhateverTheNumbers) {
  EXPECT_EQ(type("CL.THROTTLE k 4 1 1 2"), five(0, 5, 3, -1, 2));
  EXPECT_EQ(type("cl.throttle k 9 1 1"), five(0, 10, 7, -1, 3));
  EXPECT_EQ(type("CL.Throttle other 9 1 1"), five(0, 10, 9, -1, 1));
}

TEST_F(ThrottleTest, KeysAreBytes) {
  const std::string key("\0\xff\r\n", 4);
  EXPECT_EQ(ask({"CL.THROTTLE", key, "0", "1", "1"}), five(0, 1, 0, -1, 1));
  EXPECT_EQ(ask({"CL.THROTTLE", key.substr(0, 3), "0", "1", "1"}), five(0, 1, 0, -1, 1));
  EXPECT_EQ(ask({"CL.THROTTLE", "", "0", "1", "1"}), five(0, 1, 0, -1, 1));
  EXPECT_EQ(ask({"CL.THROTTLE", key, "0", "1", "1"}), five(1, 1, 0, 1, 1));
}

TEST_F(ThrottleTest, UsageAndNumbers) {
  const std::string usage =
      "-Cell error: Usage: cl.throttle <key> <max_burst> <count per period> <period> "
      "[<quantity>]\r\n";
  EXPECT_EQ(type("CL.THROTTLE"), usage);
  EXPECT_EQ(type("CL.THROTTLE k 1 1"), usage);
  EXPECT_EQ(type("CL.THROTTLE k 1 1 1 1 1"), usage);
  EXPECT_EQ(type("CL.THROTTLE k x 1 1"), "-Cell error: Couldn't parse as integer: x\r\n");
  EXPECT_EQ(type("CL.THROTTLE k 1 1.5 1"), "-Cell error: Couldn't parse as integer: 1.5\r\n");
  EXPECT_EQ(type("CL.THROTTLE k 1 1 1 9223372036854775808"),
            "-Cell error: Couldn't parse as integer: 9223372036854775808\r\n");
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "a\r\nb", "1", "1"}),
            "-Cell error: Couldn't parse as integer: a  b\r\n");
  EXPECT_EQ(type("CL.THROTTLE k +4 01 +1"), five(0, 5, 4, -1, 1));
  EXPECT_EQ(type("CL.THROTTLE k +-4 1 1"), "-Cell error: Couldn't parse as integer: +-4\r\n");
}

TEST_F(ThrottleTest, WhatCannotBeHeldExactlyIsRefusedWithItsRange) {
  EXPECT_EQ(type("CL.THROTTLE k 1 1 0"), "-Cell error: Zero rates are not supported\r\n");
  EXPECT_EQ(type("CL.THROTTLE k 1 0 1"), "-Cell error: Zero rates are not supported\r\n");
  const std::string burst = "-ERR max_burst is out of range: 0 to 999999999\r\n";
  EXPECT_EQ(type("CL.THROTTLE k -1 1 1"), burst);
  EXPECT_EQ(type("CL.THROTTLE k 1000000000 1 1"), burst);
  const std::string count = "-ERR count per period is out of range: 1 to 1000000000\r\n";
  EXPECT_EQ(type("CL.THROTTLE k 1 -1 1"), count);
  EXPECT_EQ(type("CL.THROTTLE k 1 1000000001 1"), count);
  const std::string period = "-ERR period is out of range: 1 to 31536000\r\n";
  EXPECT_EQ(type("CL.THROTTLE k 1 1 -1"), period);
  EXPECT_EQ(type("CL.THROTTLE k 1 1 31536001"), period);
  EXPECT_EQ(type("CL.THROTTLE k 999999999 1000000000 31536000"),
            five(0, 1'000'000'000, 999'999'999, -1, 1));
}

TEST_F(ThrottleTest, PropertyAdviceIsEnoughAndNotASecondTooMuch) {
  rc::check([this] {
    const auto burst = *rc::gen::inRange(0, 20);
    const auto count = *rc::gen::inRange(1, 50);
    const auto period = *rc::gen::inRange(1, 100);
    const auto key = "p" + std::to_string(*rc::gen::arbitrary<std::uint64_t>());
    const auto line = "CL.THROTTLE " + key + " " + std::to_string(burst) + " " +
                      std::to_string(count) + " " + std::to_string(period);
    for (const auto gap_ns :
         *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 999'999'999))) {
      now += Duration{gap_ns};
      const auto reply = type(line);
      if (reply.starts_with("*5\r\n:0")) continue;
      // The fourth of the five integers.
      std::size_t at = 0;
      for (int i = 0; i < 4; ++i) at = reply.find(':', at) + 1;
      int retry_after = 0;
      std::from_chars(reply.data() + at, reply.data() + reply.size(), retry_after);
      RC_ASSERT(retry_after >= 1);
      const Time refused_at = now;
      now = refused_at + std::chrono::seconds(retry_after - 1);
      RC_ASSERT(type(line + " 0").starts_with("*5\r\n:0"));  // a question changes nothing
      RC_ASSERT(type(line).starts_with("*5\r\n:1"));
      now = refused_at + std::chrono::seconds(retry_after);
      RC_ASSERT(type(line).starts_with("*5\r\n:0"));
    }
  });
}

}  // namespace
}  // namespace weir::front::resp
