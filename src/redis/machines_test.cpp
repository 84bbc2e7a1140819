// SPDX-License-Identifier: Apache-2.0
// The small parts of the client, by calling them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <deque>
#include <set>

#include "redis/backoff.hpp"
#include "redis/breaker.hpp"
#include "redis/clock_offset.hpp"
#include "redis/fifo.hpp"
#include "redis/handshake.hpp"
#include "redis/inquiry.hpp"
#include "redis/redirection.hpp"
#include "redis/sentinel.hpp"
#include "redis/show.hpp"
#include "redis/slot_map.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using wire::resp::Reply;

constexpr Time start{1'000'000s};

/// The bytes stay alive, for replies are views of them.
const Reply& reply(const std::string& bytes) {
  static std::deque<std::pair<std::string, Reply>> kept;
  auto& [text, parsed] = kept.emplace_back(bytes, Reply());
  EXPECT_EQ(parse_reply(text, parsed).status, wire::resp::ParsedReply::Status::reply) << bytes;
  return parsed;
}

std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}

TEST(Fifo, IsADeque) {
  rc::check("what is pushed comes out in the same order", [](const std::vector<int>& steps) {
    Fifo<int> fifo;
    std::deque<int> model;
    for (const int step : steps) {
      for (int i = 0; i < step % 100; ++i) {
        fifo.push(i);
        model.push_back(i);
      }
      for (int i = 0; i < -(step % 100) && !model.empty(); ++i) {
        RC_ASSERT(fifo.front() == model.front());
        RC_ASSERT(fifo.pop() == model.front());
        model.pop_front();
      }
      RC_ASSERT(fifo.size() == model.size());
      RC_ASSERT(fifo.empty() == model.empty());
    }
    for (std::size_t i = 0; i < model.size(); ++i) RC_ASSERT(fifo[i] == model[i]);
  });
}

TEST(Backoff, GrowsToItsLimitAndBeginsAnew) {
  Backoff backoff(500ms, 1);
  std::set<Duration> waits;
  for (int round = 0; round < 100; ++round) {
    backoff.reset();
    EXPECT_EQ(backoff.next(), 0ms);
    EXPECT_LE(backoff.next(), 50ms);
    EXPECT_LE(backoff.next(), 100ms);
    EXPECT_LE(backoff.next(), 200ms);
    EXPECT_LE(backoff.next(), 400ms);
    for (int i = 0; i < 10; ++i) {
      const auto wait = backoff.next();
      EXPECT_GE(wait, 0ms);
      EXPECT_LE(wait, 500ms);
      waits.insert(wait);
    }
  }
  EXPECT_GT(waits.size(), 900U);  // full jitter: they are spread
  EXPECT_LT(*waits.begin(), 50ms);
  EXPECT_GT(*waits.rbegin(), 450ms);
}

TEST(Breaker, OpensAtSomeFailuresInARow) {
  Breaker breaker;
  for (int i = 0; i < 4; ++i) breaker.failed(start);
  breaker.good(start);
  for (int i = 0; i < 4; ++i) breaker.failed(start);
  EXPECT_FALSE(breaker.is_open());
  breaker.failed(start);
  EXPECT_TRUE(breaker.is_open());
}

TEST(Breaker, OpensWhereHalfOfMayFailWithinASecond) {
  Breaker breaker;
  for (int i = 0; i < 9; ++i) {
    breaker.failed(start);
    breaker.good(start);
  }
  EXPECT_FALSE(breaker.is_open());
  breaker.good(start);
  breaker.failed(start);
  EXPECT_TRUE(breaker.is_open());
}

TEST(Breaker, ForgetsWhatIsOlderThanASecond) {
  Breaker breaker;
  for (int second = 0; second < 10; ++second) {
    for (int i = 0; i < 9; ++i) {
      breaker.failed(start + std::chrono::seconds(second));
      breaker.good(start + std::chrono::seconds(second));
    }
  }
  EXPECT_FALSE(breaker.is_open());
}

TEST(Breaker, ClosesAfterGoodProbesInARow) {
  Breaker breaker;
  breaker.open();
  breaker.probe_good();
  breaker.probe_good();
  breaker.probe_failed();
  breaker.probe_good();
  breaker.probe_good();
  EXPECT_TRUE(breaker.is_open());
  breaker.probe_good();
  EXPECT_FALSE(breaker.is_open());
  // Nothing of what was before counts.
  for (int i = 0; i < 4; ++i) breaker.failed(start);
  EXPECT_FALSE(breaker.is_open());
}

TEST(ClockOffset, TheShortestRoundTripIsBelieved) {
  ClockOffset offset;
  EXPECT_EQ(offset.value(), 0ns);
  offset.add({.sent = start, .received = start + 10ms, .store = start + 30s + 9ms});
  EXPECT_EQ(offset.value(), 30s + 4ms);
  offset.add({.sent = start, .received = start + 2ms, .store = start + 30s + 1ms});
  EXPECT_EQ(offset.value(), 30s);
  offset.add({.sent = start, .received = start + 8ms, .store = start + 30s});
  EXPECT_EQ(offset.value(), 30s);
}

TEST(ClockOffset, AnOldSampleIsForgotten) {
  ClockOffset offset;
  offset.add({start, start + 1ms, start + 500us});
  for (int i = 0; i < 7; ++i) offset.add({start, start + 4ms, start + 3ms});
  EXPECT_EQ(offset.value(), 0ns);
  offset.add({start, start + 4ms, start + 3ms});
  EXPECT_EQ(offset.value(), 1ms);
}

TEST(ClockOffset, AClockThatWasSetIsFollowedAtOnce) {
  ClockOffset offset;
  offset.add({start, start + 1ms, start + 500us});
  offset.add({start, start + 9ms, start - 60s});
  EXPECT_EQ(offset.value(), -60s - 4500us);
}

TEST(ClockOffset, B36_IsWithinHalfARoundTrip) {
  rc::check("however the way is split, the error is at most half of it", [] {
    const auto there = std::chrono::microseconds{*rc::gen::inRange(0, 100000)};
    const auto back = std::chrono::microseconds{*rc::gen::inRange(0, 100000)};
    const Duration truth = std::chrono::milliseconds{*rc::gen::inRange(-100000, 100000)};
    ClockOffset offset;
    offset.add({start, start + there + back, start + there + truth});
    RC_ASSERT(std::chrono::abs(offset.value() - truth) <= (there + back) / 2);
  });
}

TEST(StoreTime, IsSecondsAndMicroseconds) {
  EXPECT_EQ(read_time(reply("*2\r\n" + bulk("1790000000") + bulk("123456"))),
            Time{1790000000s + 123456us});
  for (const auto& wrong : std::vector<std::string>{
           std::string("-ERR\r\n"), std::string("*0\r\n"), "*2\r\n" + bulk("x") + bulk("1"),
           "*2\r\n" + bulk("1") + bulk("1000000"), "*2\r\n" + bulk("-1") + bulk("1"),
           "*2\r\n" + bulk("99999999999999") + bulk("1"), "*1\r\n" + bulk("1")}) {
    EXPECT_EQ(read_time(reply(wrong)), std::nullopt) << wrong;
  }
}

std::vector<std::string> words_of(std::string_view bytes) {
  std::vector<std::string> commands;
  while (!bytes.empty()) {
    const Reply& command = reply(std::string(bytes));
    std::string line;
    std::size_t size = 4 + std::to_string(command.root().size).size() - 1;
    for (std::size_t i = 1; i < command.nodes().size(); ++i) {
      line += (i > 1 ? " " : "") + std::string(command[i].text);
      size += command[i].text.size() + 5 + std::to_string(command[i].text.size()).size();
    }
    commands.push_back(line);
    bytes.remove_prefix(size);
  }
  return commands;
}

TEST(Handshake, SaysOnlyWhatIsNeeded) {
  std::string out;
  Handshake(Options(), out);
  EXPECT_THAT(words_of(out), ElementsAre("CLIENT SETNAME weir", "ROLE"));

  Options options;
  options.login = {"me", "secret"};
  options.database = 5;
  options.scripts = {"return 1", "return 2"};
  out.clear();
  Handshake(options, out);
  EXPECT_THAT(words_of(out), ElementsAre("AUTH me secret", "SELECT 5", "CLIENT SETNAME weir",
                                         "ROLE", "SCRIPT LOAD return 1", "SCRIPT LOAD return 2"));
  options.login.user.clear();
  out.clear();
  Handshake(options, out);
  EXPECT_EQ(words_of(out)[0], "AUTH secret");
}

using Progress = Handshake::Progress;
const std::string role_master = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n";

TEST(Handshake, IsDoneWhenAllIsAccepted) {
  Options options;
  options.login.password = "secret";
  options.scripts = {"return 1"};
  std::string out;
  Handshake handshake(options, out);
  EXPECT_EQ(handshake.on_reply(reply("+OK\r\n")), Progress::more);
  EXPECT_EQ(handshake.on_reply(reply("+OK\r\n")), Progress::more);
  EXPECT_EQ(handshake.on_reply(reply(role_master)), Progress::more);
  EXPECT_EQ(handshake.on_reply(reply(bulk("e0e1"))), Progress::done);
}

TEST(Handshake, AWrongPasswordIsToldInWords) {
  Options options;
  options.login.password = "secret";
  std::string out;
  Handshake handshake(options, out);
  EXPECT_EQ(handshake.on_reply(reply("-WRONGPASS invalid\r\n")), Progress::failed);
  EXPECT_EQ(handshake.why(), "AUTH is refused: WRONGPASS invalid");
}

TEST(Handshake, B35_AReplicaIsRefused) {
  std::string out;
  Handshake handshake(Options(), out);
  EXPECT_EQ(handshake.on_reply(reply("+OK\r\n")), Progress::more);
  EXPECT_EQ(handshake.on_reply(reply("*2\r\n$5\r\nslave\r\n$1\r\nx\r\n")), Progress::failed);
  EXPECT_THAT(handshake.why(), HasSubstr("replica"));
}

TEST(Handshake, WhatIsExtraMayBeForbidden) {
  std::string out;
  Handshake handshake(Options(), out);
  EXPECT_EQ(handshake.on_reply(reply("-ERR unknown subcommand\r\n")), Progress::more);
  EXPECT_EQ(handshake.on_reply(reply("-NOPERM this user\r\n")), Progress::done);
}

TEST(Handshake, AServerThatLoadsIsNotReady) {
  std::string out;
  Handshake handshake(Options(), out);
  EXPECT_EQ(handshake.on_reply(reply("-LOADING Redis is loading\r\n")), Progress::failed);
}

TEST(Inquiry, LogsInAndReadsWhatComes) {
  Inquiry inquiry({"", "secret"}, {{"CLUSTER", "SLOTS"}});
  EXPECT_THAT(words_of(inquiry.output()), ElementsAre("AUTH secret", "CLUSTER SLOTS"));
  const std::string bytes = "+OK\r\n:1\r\n:2\r\n";
  for (const char byte : bytes.substr(0, 8)) {
    EXPECT_EQ(inquiry.next(), Inquiry::Progress::need_more);
    inquiry.room()[0] = byte;
    inquiry.arrived(1);
  }
  const auto room = inquiry.room();
  std::copy(bytes.begin() + 8, bytes.end(), room.begin());
  inquiry.arrived(bytes.size() - 8);
  EXPECT_EQ(inquiry.next(), Inquiry::Progress::reply);
  EXPECT_EQ(inquiry.reply().root().integer, 1);
  EXPECT_EQ(inquiry.next(), Inquiry::Progress::reply);
  EXPECT_EQ(inquiry.reply().root().integer, 2);
  EXPECT_EQ(inquiry.next(), Inquiry::Progress::need_more);
}

TEST(Inquiry, FailsWhereTheLoginDoesOrTheBytesAreNoReply) {
  for (const auto& bytes : std::vector<std::string>{"-WRONGPASS\r\n", "HTTP/1.1 400\r\n"}) {
    Inquiry inquiry({"", "secret"}, {{"PING"}});
    std::copy(bytes.begin(), bytes.end(), inquiry.room().begin());
    inquiry.arrived(bytes.size());
    EXPECT_EQ(inquiry.next(), Inquiry::Progress::failed);
  }
}

TEST(Redirection, IsReadFromTheError) {
  const auto moved = read_redirection("MOVED 3999 127.0.0.1:6381");
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->kind, Redirection::Kind::moved);
  EXPECT_EQ(moved->slot, 3999);
  EXPECT_EQ(moved->address, (Address{"127.0.0.1", 6381}));
  const auto ask = read_redirection("ASK 0 fe80::1:6381");
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->kind, Redirection::Kind::ask);
  EXPECT_EQ(ask->address, (Address{"fe80::1", 6381}));
  EXPECT_EQ(read_redirection("MOVED 1 :6381")->address, (Address{"", 6381}));
  EXPECT_EQ(read_redirection("TRYAGAIN Multiple keys")->kind, Redirection::Kind::try_again);
  for (const auto* wrong : {"ERR x", "MOVED", "MOVED x h:1", "MOVED 16384 h:1", "MOVED 1 h",
                            "MOVED 1 h:0", "MOVED 1 h:x", "MOVED 1 h:65536", ""}) {
    EXPECT_FALSE(read_redirection(wrong)) << wrong;
  }
}

TEST(SlotMap, ListsTheMasters) {
  const auto ranges = read_slot_ranges(
      reply("*3\r\n"
            "*3\r\n:0\r\n:8191\r\n*4\r\n" +
            bulk("10.0.0.1") + ":7000\r\n" + bulk("id") +
            "*0\r\n"
            "*4\r\n:8192\r\n:8192\r\n*3\r\n" +
            bulk("") + ":7001\r\n" + bulk("id") + "*3\r\n" + bulk("10.0.0.9") + ":7009\r\n" +
            bulk("id") + "*3\r\n:8193\r\n:16383\r\n*3\r\n$-1\r\n:7002\r\n" + bulk("id")),
      {"10.0.0.7", 1});
  ASSERT_TRUE(ranges);
  ASSERT_EQ(ranges->size(), 3U);
  EXPECT_EQ((*ranges)[0].last, 8191);
  EXPECT_EQ((*ranges)[0].master, (Address{"10.0.0.1", 7000}));
  EXPECT_EQ((*ranges)[1].first, 8192);
  EXPECT_EQ((*ranges)[1].master, (Address{"10.0.0.7", 7001}));
  EXPECT_EQ((*ranges)[2].master, (Address{"10.0.0.7", 7002}));
}

TEST(SlotMap, WhatIsNoMapIsNone) {
  EXPECT_TRUE(read_slot_ranges(reply("*0\r\n"), {})->empty());
  const std::string node = "*2\r\n" + bulk("h") + ":1\r\n";
  for (const auto& wrong : std::vector<std::string>{
           std::string("-ERR This instance has cluster support disabled\r\n"),
           std::string("+OK\r\n"), std::string("*1\r\n:1\r\n"), "*1\r\n*2\r\n:0\r\n:1\r\n",
           "*1\r\n*3\r\n:0\r\n:16384\r\n" + node, "*1\r\n*3\r\n:2\r\n:1\r\n" + node,
           "*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n" + bulk("h"),
           "*1\r\n*3\r\n" + bulk("0") + ":1\r\n" + node,
           std::string("*1\r\n*3\r\n:0\r\n:1\r\n:2\r\n"),
           "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n" + bulk("h") + ":0\r\n"}) {
    EXPECT_FALSE(read_slot_ranges(reply(wrong), {"h", 1})) << wrong;
  }
}

TEST(Sentinel, NamesItsMaster) {
  EXPECT_EQ(read_master(reply("*2\r\n" + bulk("10.0.0.1") + bulk("6379"))),
            (Address{"10.0.0.1", 6379}));
  for (const auto& wrong :
       std::vector<std::string>{std::string("*-1\r\n"), std::string("-ERR\r\n"),
                                "*2\r\n" + bulk("h") + bulk("x"), "*2\r\n" + bulk("h") + bulk("0"),
                                "*2\r\n" + bulk("") + bulk("1"), "*1\r\n" + bulk("h")}) {
    EXPECT_EQ(read_master(reply(wrong)), std::nullopt) << wrong;
  }
}

TEST(Sentinel, TellsOfAnother) {
  const auto message = [](std::string_view text, std::string_view channel = "+switch-master") {
    return "*3\r\n" + bulk("message") + bulk(channel) + bulk(text);
  };
  EXPECT_EQ(read_switch(reply(message("m 10.0.0.1 6379 10.0.0.2 6380")), "m"),
            (Address{"10.0.0.2", 6380}));
  EXPECT_EQ(read_switch(reply(message("my m 10.0.0.1 6379 10.0.0.2 6380")), "my m"),
            (Address{"10.0.0.2", 6380}));
  EXPECT_FALSE(read_switch(reply(message("other 10.0.0.1 6379 10.0.0.2 6380")), "m"));
  EXPECT_FALSE(read_switch(reply(message("m 10.0.0.1 6379 10.0.0.2 6380", "+sdown")), "m"));
  EXPECT_FALSE(read_switch(reply(message("m")), "m"));
  EXPECT_FALSE(
      read_switch(reply("*3\r\n" + bulk("subscribe") + bulk("+switch-master") + ":1\r\n"), "m"));
  EXPECT_FALSE(read_switch(reply("*2\r\n" + bulk("pong") + bulk("")), "m"));
}

TEST(Address, IsShownAsItIsWritten) {
  EXPECT_EQ(shown(Address{"h", 1}), "h:1");
  EXPECT_EQ(shown(Address{"::1", 6379}), "[::1]:6379");
  EXPECT_EQ(shown(Address{"/run/redis.sock", 0}), "/run/redis.sock");
}

}  // namespace
}  // namespace weir::redis
