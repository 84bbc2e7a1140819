// SPDX-License-Identifier: Apache-2.0
// A node's connection, by calling it: no sockets and no sleeps.
#include "redis/node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "redis/node_test_support.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Lines = std::vector<std::string>;
using End = Exchange::End;

class Nobody final : public Redirector {
 public:
  void redirect(const Errand&, const Redirection&, Time) override { ADD_FAILURE(); }
  void cluster_is_down() override { ADD_FAILURE(); }
};

class NodeTest : public testing::Test {
 protected:
  NodeTest() {
    stats_.on_change = [this](const std::string& text, bool) { told_.push_back(text); };
  }

  Asked& send(const std::vector<Asked::Words>& commands, Duration timeout = 50ms) {
    auto& asked = asked_.emplace_back(commands, now_ + timeout);
    const Errand errand{.ticket = table_.add(asked),
                        .count = static_cast<std::uint32_t>(commands.size())};
    if (!node_.take(errand)) table_.give_up(errand.ticket);
    return asked;
  }
  /// `count` of them, which is all that is in flight.
  void send_and_write(int count) {
    for (int i = 0; i < count; ++i) send({{"GET", "k"}});
    EXPECT_EQ(written().size(), static_cast<std::size_t>(count));
  }
  void pass(Duration time) {
    now_ += time;
    table_.expire(
        now_, [&](const ExchangeTable::Entry& entry) { node_.timed_out(entry.in_flight, now_); });
    node_.tick(now_);
  }
  Lines written() { return redis::written(node_, now_); }
  void answer(std::string_view bytes) { feed(node_, bytes, now_); }
  void connect() { redis::connect(node_, now_); }
  void lose() { node_.lost(now_, "reset"); }

  Time now_{1'000'000s};
  Options options_;
  ClientStats stats_;
  ExchangeTable table_{stats_};
  Nobody nobody_;
  Node node_{0, {"h", 1}, {options_, table_, stats_, nobody_, 1}};
  std::deque<Asked> asked_;
  Lines told_;
};

TEST_F(NodeTest, ShakesHandsBeforeItSendsAnything) {
  options_.scripts = {"return 1"};
  auto& asked = send({{"GET", "k"}});
  EXPECT_TRUE(node_.wants_dial(now_));
  node_.dialing();
  EXPECT_FALSE(node_.wants_dial(now_));
  EXPECT_THAT(written(), IsEmpty());
  node_.dialed(now_);
  EXPECT_THAT(written(), ElementsAre("CLIENT SETNAME weir", "ROLE", "SCRIPT LOAD return 1"));
  answer(hello_replies);
  EXPECT_THAT(written(), IsEmpty());
  answer("$4\r\ne0e1\r\n");
  EXPECT_THAT(written(), ElementsAre("TIME"));
  answer(time_reply(now_));
  EXPECT_THAT(written(), ElementsAre("GET k"));
  answer("$1\r\nv\r\n");
  EXPECT_EQ(asked.reply(), "\"v\"");
  EXPECT_EQ(asked.end, End::replied);
  EXPECT_THAT(told_, ElementsAre("h:1: connected"));
}

TEST_F(NodeTest, WhatIsSentInOneTurnLeavesInOneWrite) {
  connect();
  send({{"SET", "k", "1"}, {"INCR", "k"}});
  send({{"GET", "k"}});
  EXPECT_THAT(written(), ElementsAre("SET k 1", "INCR k", "GET k"));
  EXPECT_THAT(written(), IsEmpty());
}

TEST_F(NodeTest, WhileAWriteIsUnderWayNoOtherBegins) {
  connect();
  send({{"GET", "a"}});
  ASSERT_FALSE(node_.take_output(now_).empty());
  send({{"GET", "b"}});
  EXPECT_TRUE(node_.take_output(now_).empty());
  node_.wrote();
  EXPECT_THAT(written(), ElementsAre("GET b"));
}

TEST_F(NodeTest, TheBytesMeanTheSameHoweverTheyAreCut) {
  connect();
  rc::check("replies reach their exchanges from any pieces", [this] {
    asked_.clear();
    for (int i = 0; i < 3; ++i) send({{"GET", "a"}, {"GET", "b"}});
    written();
    std::string bytes = ":1\r\n$3\r\nabc\r\n*2\r\n:2\r\n$-1\r\n-ERR x\r\n+OK\r\n:6\r\n";
    while (!bytes.empty()) {
      const auto size = static_cast<std::size_t>(*rc::gen::inRange(1, 9));
      answer(bytes.substr(0, size));
      bytes.erase(0, size);
    }
    RC_ASSERT(asked_[0].replies == (Lines{"1", "\"abc\""}));
    RC_ASSERT(asked_[1].replies == (Lines{"[2 null]", "-ERR x"}));
    RC_ASSERT(asked_[2].replies == (Lines{"+OK", "6"}));
    RC_ASSERT(asked_[2].end == End::replied);
  });
}

TEST_F(NodeTest, B17_WhatWasWrittenIsNeverSentAgain) {
  connect();
  auto& in_flight = send({{"INCR", "k"}});
  written();
  auto& queued = send({{"INCR", "q"}});
  lose();
  EXPECT_EQ(in_flight.end, End::unknown);
  EXPECT_FALSE(queued.end.has_value());
  connect();
  EXPECT_THAT(written(), ElementsAre("INCR q"));
  answer(":1\r\n");
  EXPECT_EQ(queued.reply(), "1");
}

TEST_F(NodeTest, B17_AnExchangeThatWasAnsweredInPartIsUnknown) {
  connect();
  auto& asked = send({{"SET", "k", "1"}, {"INCR", "k"}});
  written();
  answer("+OK\r\n");
  lose();
  EXPECT_EQ(asked.replies, (Lines{"+OK", ""}));
  EXPECT_EQ(asked.end, End::unknown);
}

TEST_F(NodeTest, WhereNobodyAcceptsNothingHasChanged) {
  auto& asked = send({{"GET", "k"}});
  node_.dialing();
  node_.dial_failed(now_, "connection refused");
  EXPECT_EQ(asked.end, End::unavailable);
  EXPECT_EQ(send({{"GET", "k"}}).end, End::unavailable);
  for (int i = 0; i < 5; ++i) {
    now_ = std::max(now_, node_.next_time());
    ASSERT_TRUE(node_.wants_dial(now_));
    node_.dialing();
    node_.dial_failed(now_, "connection refused");
  }
  EXPECT_THAT(told_, ElementsAre("h:1: is out of reach: connection refused"));
}

TEST_F(NodeTest, WhatIsNotWrittenInTimeIsDropped) {
  auto& asked = send({{"INCR", "k"}});
  pass(50ms);
  EXPECT_EQ(asked.end, End::unavailable);
  connect();
  EXPECT_THAT(written(), IsEmpty());
}

TEST_F(NodeTest, B18_ALateReplyIsNobodys) {
  connect();
  auto& late = send({{"GET", "a"}}, 40ms);
  written();
  pass(40ms);
  EXPECT_EQ(late.end, End::unknown);
  auto& next = send({{"GET", "b"}});
  written();
  answer("$1\r\na\r\n$1\r\nb\r\n");
  EXPECT_EQ(late.reply(), "");
  EXPECT_EQ(next.reply(), "\"b\"");
  EXPECT_EQ(stats_.timed_out, 1U);
}

TEST_F(NodeTest, B18_AConnectionThatStaysSilentIsLeft) {
  connect();
  send_and_write(1);
  pass(149ms);
  EXPECT_FALSE(node_.wants_close());
  EXPECT_LE(node_.next_time(), now_ + 1ms);
  pass(1ms);
  EXPECT_TRUE(node_.wants_close());
  lose();
  EXPECT_THAT(told_.back(), HasSubstr("it has stopped to answer"));
  EXPECT_TRUE(node_.wants_dial(now_));
}

TEST_F(NodeTest, WhoWaitsLongIsNotLeftEarly) {
  connect();
  auto& asked = send({{"GET", "k"}}, 1s);
  written();
  pass(1s - 1ms);
  EXPECT_FALSE(node_.wants_close());
  answer(":1\r\n");
  EXPECT_EQ(asked.end, End::replied);
}

TEST_F(NodeTest, AServerThatFallsSilentWhenIdleIsNoticed) {
  connect();
  for (int i = 0; i < 100 && !node_.wants_close(); ++i) {
    pass(50ms);
    written();
  }
  EXPECT_TRUE(node_.wants_close());
}

TEST_F(NodeTest, TooManyWithoutTheirAskerEndTheConnection) {
  options_.most_waiting = 2000;
  connect();
  send_and_write(1025);
  for (int i = 0; i < 1024; ++i) node_.timed_out(1, now_);
  EXPECT_FALSE(node_.wants_close());
  node_.timed_out(1, now_);
  EXPECT_TRUE(node_.wants_close());
}

TEST_F(NodeTest, MoreThanMayWaitIsRefused) {
  options_.most_waiting = 3;
  connect();
  send_and_write(2);
  EXPECT_FALSE(send({{"GET", "k"}}).end.has_value());
  EXPECT_EQ(send({{"GET", "k"}}).end, End::unavailable);
  answer(":1\r\n");
  EXPECT_FALSE(send({{"GET", "k"}}).end.has_value());
}

TEST_F(NodeTest, B16_OneLoadBringsTheScriptsBackForAll) {
  options_.scripts = {"s1", "s2"};
  redis::connect(node_, now_, hello_replies + "$1\r\na\r\n$1\r\nb\r\n");
  auto& first = send({{"EVALSHA", "1"}, {"PING"}});
  auto& second = send({{"EVALSHA", "2"}});
  written();
  answer("-NOSCRIPT No matching script.\r\n+PONG\r\n-NOSCRIPT No matching script.\r\n");
  EXPECT_FALSE(first.end.has_value());
  EXPECT_THAT(written(), ElementsAre("SCRIPT LOAD s1", "SCRIPT LOAD s2", "EVALSHA 1", "EVALSHA 2"));
  answer("$1\r\na\r\n$1\r\nb\r\n:1\r\n-NOSCRIPT again\r\n");
  EXPECT_EQ(first.replies, (Lines{"1", "+PONG"}));
  EXPECT_EQ(first.end, End::replied);
  EXPECT_EQ(second.reply(), "-NOSCRIPT again");  // no more than once
  EXPECT_EQ(stats_.scripts_reloaded, 1U);
}

TEST_F(NodeTest, B16_WhatFailsWhileALoadIsOnItsWayWaitsForThatOne) {
  options_.scripts = {"s"};
  redis::connect(node_, now_, hello_replies + "$1\r\na\r\n");
  send({{"EVALSHA", "1"}});
  send({{"EVALSHA", "2"}});
  written();
  answer("-NOSCRIPT\r\n");
  EXPECT_THAT(written(), ElementsAre("SCRIPT LOAD s", "EVALSHA 1"));
  answer("-NOSCRIPT\r\n");
  EXPECT_THAT(written(), ElementsAre("EVALSHA 2"));
  answer("$1\r\na\r\n:1\r\n:2\r\n");
  EXPECT_EQ(asked_[0].reply(), "1");
  EXPECT_EQ(asked_[1].reply(), "2");
}

TEST_F(NodeTest, B16_ARepeatedCommandThatIsNotWrittenInTimeHasNotRun) {
  options_.scripts = {"s"};
  redis::connect(node_, now_, hello_replies + "$1\r\na\r\n");
  auto& asked = send({{"EVALSHA", "1"}}, 40ms);
  written();
  answer("-NOSCRIPT\r\n");
  pass(40ms);
  EXPECT_EQ(asked.end, End::unavailable);
  EXPECT_THAT(written(), ElementsAre("SCRIPT LOAD s"));
}

TEST_F(NodeTest, B35_ADemotedServerIsLeftAfterOneRefusal) {
  for (const std::string code : {"READONLY", "LOADING", "MASTERDOWN", "NOAUTH"}) {
    connect();
    auto& asked = send({{"INCR", "k"}});
    written();
    answer("-" + code + " You can't\r\n");
    EXPECT_EQ(asked.end, End::unavailable) << code;
    EXPECT_TRUE(node_.wants_close()) << code;
    lose();
    EXPECT_THAT(told_.back(), HasSubstr("it answers " + code));
    EXPECT_LE(node_.next_time(), now_ + 200ms);
    now_ = std::max(now_, node_.next_time());
  }
}

TEST_F(NodeTest, OtherErrorsAreReplies) {
  connect();
  for (const std::string text : {"OOM command not allowed", "WRONGTYPE Operation", "ERR no",
                                 "MOVED 1 h:2", "CLUSTERDOWN x", "NOSCRIPT none to load"}) {
    auto& asked = send({{"INCR", "k"}});
    written();
    answer('-' + text + "\r\n");
    EXPECT_EQ(asked.reply(), '-' + text);
    EXPECT_EQ(asked.end, End::replied);
  }
  EXPECT_FALSE(node_.wants_close());
  EXPECT_EQ(stats_.error_replies, 6U);
}

TEST_F(NodeTest, B17_BytesThatAreNoReplyEndTheConnection) {
  connect();
  auto& asked = send({{"INCR", "k"}});
  written();
  answer("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_TRUE(node_.wants_close());
  lose();
  EXPECT_EQ(asked.end, End::unknown);
  EXPECT_THAT(told_.back(), HasSubstr("not the protocol of Redis"));
}

TEST_F(NodeTest, AnAnswerToNothingEndsTheConnection) {
  connect();
  answer("+OK\r\n");
  EXPECT_TRUE(node_.wants_close());
}

TEST_F(NodeTest, AHandshakeTakesOnlySoLong) {
  node_.dialing();
  node_.dialed(now_);
  written();
  EXPECT_EQ(node_.next_time(), now_ + 250ms);
  pass(250ms);
  EXPECT_TRUE(node_.wants_close());
  lose();
  EXPECT_THAT(told_, ElementsAre(HasSubstr("is out of reach: no answer to the handshake")));
}

TEST_F(NodeTest, TheBreakerOpensAndClosesByProbes) {
  connect();
  send_and_write(5);
  auto& queued = send({{"GET", "k"}}, 10s);
  pass(50ms);
  EXPECT_FALSE(node_.is_in_reach());
  EXPECT_EQ(queued.end, End::unavailable);
  EXPECT_EQ(send({{"GET", "k"}}).end, End::unavailable);
  answer(":1\r\n:1\r\n:1\r\n:1\r\n:1\r\n");  // late ones prove nothing
  EXPECT_FALSE(node_.is_in_reach());
  pass(50ms);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(node_.is_in_reach());
    const auto lines = written();
    EXPECT_THAT(lines, testing::Contains("PING"));
    answer(std::find(lines.begin(), lines.end(), "TIME") == lines.end()
               ? "+PONG\r\n"
               : time_reply(now_) + "+PONG\r\n");
  }
  EXPECT_TRUE(node_.is_in_reach());
  EXPECT_THAT(told_, ElementsAre(HasSubstr("connected"), HasSubstr("does not answer in time"),
                                 HasSubstr("answers again")));
  EXPECT_FALSE(send({{"GET", "k"}}).end.has_value());
}

TEST_F(NodeTest, TheTimeIsAskedAgainAndAgain) {
  options_.timeout = 10s;
  connect();
  EXPECT_EQ(node_.clock_offset(), 0ns);
  for (int i = 0; i < 8; ++i) {
    pass(2s);
    EXPECT_THAT(written(), ElementsAre("TIME"));
    answer(time_reply(now_ + 30s));
  }
  EXPECT_EQ(node_.clock_offset(), 30s);
}

TEST_F(NodeTest, TheTimeIsNotWantedWhereThisMachinesIsUsed) {
  options_.use_store_time = false;
  node_.dialing();
  node_.dialed(now_);
  written();
  answer(hello_replies);
  EXPECT_TRUE(node_.is_ready());
  EXPECT_THAT(written(), IsEmpty());
  pass(50ms);
  EXPECT_THAT(written(), ElementsAre("TIME"));  // to hear from it
  answer(time_reply(now_ + 30s));
  EXPECT_EQ(node_.clock_offset(), 0ns);
}

TEST_F(NodeTest, ADroppedConnectionIsNoFailure) {
  connect();
  auto& asked = send({{"GET", "k"}});
  node_.drop("there is another master");
  EXPECT_TRUE(node_.wants_close());
  lose();
  EXPECT_FALSE(asked.end.has_value());
  EXPECT_TRUE(node_.is_in_reach());
  connect();
  EXPECT_THAT(written(), ElementsAre("GET k"));
}

TEST_F(NodeTest, ARetiredNodeRestsUntilItIsAskedAgain) {
  connect();
  node_.retire();
  EXPECT_TRUE(node_.wants_close());
  lose();
  EXPECT_FALSE(node_.wants_dial(now_ + 1h));
  EXPECT_EQ(node_.next_time(), Time::max());
  send({{"GET", "k"}});
  EXPECT_TRUE(node_.wants_dial(now_));
}

TEST_F(NodeTest, AskersMaySendFromWithinACallback) {
  connect();
  auto& first = send({{"GET", "a"}});
  first.then = [this] { send({{"GET", "b"}}); };
  written();
  answer(":1\r\n");
  EXPECT_THAT(written(), ElementsAre("GET b"));
  asked_.back().then = [this] { send({{"GET", "c"}}); };
  lose();
  connect();
  EXPECT_THAT(written(), ElementsAre("GET c"));
}

}  // namespace
}  // namespace weir::redis
