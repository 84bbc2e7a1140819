// SPDX-License-Identifier: Apache-2.0
// A client's session: named limits, pipelines, stores that answer later, input that ends it.
#include "front/resp/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "front/resp/session_fixture.hpp"

namespace weir::front::resp {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using Next = Progress::Next;

class RespSessionTest : public SessionTest {};

std::string integers(std::initializer_list<std::int64_t> values) {
  std::string reply = "*" + std::to_string(values.size()) + "\r\n";
  for (const auto value : values) reply.append(":").append(std::to_string(value)).append("\r\n");
  return reply;
}

// --- named limits -------------------------------------------------------------------------------

TEST_F(RespSessionTest, ANamedLimitAnswersInNanoseconds) {
  EXPECT_EQ(type("WEIR.ACQUIRE api k 50"), integers({1, 50, 0, 0, 5'000'000'000, 0}));
  EXPECT_EQ(type("weir.acquire api k"), integers({0, 50, 0, 100'000'000, 5'000'000'000, 0}));
  EXPECT_EQ(type("WEIR.ACQUIRE api k 51"), integers({0, 50, 0, -1, 5'000'000'000, 0}));
  EXPECT_EQ(type("WEIR.ACQUIRE api other 0"), integers({1, 50, 50, 0, 0, 0}));
}

TEST_F(RespSessionTest, TheFourVerbs) {
  EXPECT_EQ(type("WEIR.PEEK api k 50"), integers({1, 50, 50, 0, 0, 0}));
  EXPECT_EQ(type("WEIR.DEBIT api k 60"), integers({0, 50, 0, -1, 6'000'000'000, 0}));
  EXPECT_EQ(type("WEIR.PEEK api k 1"), integers({0, 50, 0, 1'100'000'000, 6'000'000'000, 0}));
  EXPECT_EQ(type("WEIR.REFUND api k 20"), integers({1, 50, 10, 0, 4'000'000'000, 0}));
  EXPECT_EQ(type("WEIR.REFUND api k 9223372036854775807"), integers({1, 50, 50, 0, 0, 0}));
}

TEST_F(RespSessionTest, AQueuesDelayIsHandedToTheCaller) {
  EXPECT_EQ(type("WEIR.ACQUIRE queue k"), integers({1, 3, 3, 0, 100'000'000, 0}));
  EXPECT_EQ(type("WEIR.ACQUIRE queue k"), integers({1, 3, 2, 0, 200'000'000, 100'000'000}));
  EXPECT_EQ(progress.next, Next::read);
}

TEST_F(RespSessionTest, WhatIsWrongWithANamedAsk) {
  EXPECT_EQ(type("WEIR.ACQUIRE nope k"),
            "-ERR no limit is named 'nope'; the configuration names limits under 'limits:', as in "
            "'api: 10/s burst 50'\r\n");
  EXPECT_EQ(type("WEIR.ACQUIRE api"),
            "-ERR wrong number of arguments for 'weir.acquire' command\r\n");
  EXPECT_EQ(type("WEIR.PEEK api k 1 2"),
            "-ERR wrong number of arguments for 'weir.peek' command\r\n");
  for (const auto* cost : {"x", "-1", "1.5", "9223372036854775808", "\"\""}) {
    EXPECT_EQ(type(std::string("WEIR.ACQUIRE api k ") + cost),
              "-ERR cost is not a whole number from 0 up, or out of range\r\n");
  }
}

TEST_F(RespSessionTest, ReloadedRulesHoldFromTheNextReadOn) {
  EXPECT_THAT(type("WEIR.ACQUIRE fresh k"), StartsWith("-ERR no limit"));
  engine.replace_rules(rules_of("limits: {fresh: 3/s}\n"));
  EXPECT_EQ(type("WEIR.ACQUIRE fresh k"), integers({1, 3, 2, 0, 333'333'334, 0}));
}

// --- pipelines ----------------------------------------------------------------------------------

TEST_F(RespSessionTest, WhatOneReadBroughtIsOneBatchAndAnsweredInOrder) {
  const auto reply = send(
      "CL.THROTTLE a 0 1 1\r\nPING\r\nCL.THROTTLE a 0 1 1\r\nCL.THROTTLE a x 1 1\r\n"
      "WEIR.PEEK api k\r\nECHO last\r\n");
  EXPECT_EQ(reply, integers({0, 1, 0, -1, 1}) + "+PONG\r\n" + integers({1, 1, 0, 1, 1}) +
                       "-Cell error: Couldn't parse as integer: x\r\n" +
                       integers({1, 50, 50, 0, 0, 0}) + "$4\r\nlast\r\n");
  EXPECT_THAT(store.batches, ElementsAre(3u));
}

TEST_F(RespSessionTest, AHalfCommandWaitsForItsRest) {
  const auto bytes = command({"PING"}) + command({"ECHO", "hello"});
  std::string output;
  const auto half = std::string_view(bytes).substr(0, bytes.size() - 3);
  progress = session.on_bytes(now, half, output);
  EXPECT_EQ(output, "+PONG\r\n");
  EXPECT_EQ(progress.eaten, command({"PING"}).size());
  EXPECT_EQ(progress.next, Next::read);
  EXPECT_EQ(send(std::string_view(bytes).substr(progress.eaten)), "$5\r\nhello\r\n");
}

TEST_F(RespSessionTest, ATurnIsBounded) {
  std::string bytes;
  for (std::size_t i = 0; i < RespSession::most_commands + 10; ++i)
    bytes += "CL.THROTTLE k 9 1 1\r\n";
  std::string output;
  progress = session.on_bytes(now, bytes, output);
  EXPECT_EQ(progress.next, Next::again);
  EXPECT_THAT(store.batches, ElementsAre(RespSession::most_commands));
  const auto rest = std::string_view(bytes).substr(progress.eaten);
  EXPECT_EQ(rest.size(), 10 * 21u);
  (void)send(rest);
  EXPECT_EQ(progress.next, Next::read);
  EXPECT_THAT(store.batches, ElementsAre(RespSession::most_commands, 10u));
}

TEST_F(RespSessionTest, CommandsWithoutADecisionDoNotTroubleTheStore) {
  EXPECT_EQ(type("PING"), "+PONG\r\n");
  EXPECT_EQ(send("\r\n*0\r\n"), "");
  EXPECT_TRUE(store.batches.empty());
}

TEST_F(RespSessionTest, PropertyAnySplitOfThePipelineIsAnsweredTheSame) {
  rc::check([this] {
    const auto lines =
        *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
            "PING", "CL.THROTTLE KEY 3 1 1", "CL.THROTTLE KEY 3 1 1 2", "WEIR.ACQUIRE api KEY 7",
            "FOO", "HELLO 3", "HELLO 2", "CL.THROTTLE", "CLIENT GETNAME", ""}));
    const auto cuts = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange(1, 30));
    // Each run counts on keys of its own, of one length.
    static int run = 1'000'000;
    const auto answers = [&](const std::vector<std::size_t>& pieces) {
      std::string bytes;
      const auto key = std::to_string(run++);
      for (auto line : lines) {
        if (const auto at = line.find("KEY"); at != std::string::npos) line.replace(at, 3, key);
        bytes += line + "\r\n";
      }
      RespSession fresh(loop, 1, nullptr);
      std::string input;
      std::string output;
      std::size_t at = 0;
      const auto feed = [&](std::size_t size) {
        input.append(bytes, at, size);
        at = std::min(at + size, bytes.size());
        input.erase(0, fresh.on_bytes(now, input, output).eaten);
      };
      for (const auto piece : pieces) feed(piece);
      feed(bytes.size());
      RC_ASSERT(input.empty());
      return output;
    };
    RC_ASSERT(answers(cuts) == answers({}));
  });
}

// --- a store that answers later -----------------------------------------------------------------

TEST_F(RespSessionTest, AnAnswerFromTheStoreMayComeLater) {
  store.hold = true;
  EXPECT_EQ(send("PING\r\nCL.THROTTLE k 0 1 1\r\n"), "");
  EXPECT_EQ(progress.next, Next::wait);
  EXPECT_EQ(progress.wake_at, Time::max());
  EXPECT_FALSE(session.idle());
  store.release();
  EXPECT_EQ(waker.wakes, 1);
  std::string output;
  progress = session.on_wake(now, output);
  EXPECT_EQ(output, "+PONG\r\n" + integers({0, 1, 0, -1, 1}));
  EXPECT_EQ(progress.next, Next::read);
  EXPECT_TRUE(session.idle());
}

TEST_F(RespSessionTest, WokenTooEarlyItWaitsOn) {
  store.hold = true;
  (void)type("CL.THROTTLE k 0 1 1");
  std::string output;
  EXPECT_EQ(session.on_wake(now, output).next, Next::wait);
  EXPECT_EQ(output, "");
  store.release();
  EXPECT_EQ(session.on_wake(now, output).next, Next::read);
  EXPECT_EQ(output, integers({0, 1, 0, -1, 1}));
}

TEST_F(RespSessionTest, WhatComesAfterWaitingIsNotForgotten) {
  store.hold = true;
  EXPECT_EQ(send("CL.THROTTLE k 0 1 1\r\nQUIT\r\n"), "");
  store.release();
  std::string output;
  EXPECT_EQ(session.on_wake(now, output).next, Next::close);
  EXPECT_EQ(output, integers({0, 1, 0, -1, 1}) + "+OK\r\n");
}

TEST_F(RespSessionTest, AClientThatGoesAwayLeavesItsBatchToTheStore) {
  store.hold = true;
  (void)type("CL.THROTTLE k 0 1 1");
  session.on_close(now);
  store.release();
  EXPECT_EQ(waker.wakes, 0);
  store.hold = false;
  RespSession next(loop, 8, &waker);
  std::string output;
  (void)next.on_bytes(now, "CL.THROTTLE k 0 1 1\r\n", output);
  EXPECT_EQ(output, integers({1, 1, 0, 1, 1}));  // the unit was taken all the same
}

TEST_F(RespSessionTest, SessionsThatWaitDoNotShareABatch) {
  store.hold = true;
  RespSession other(loop, 8, &waker);
  std::string output;
  (void)type("CL.THROTTLE a 4 1 1 2");
  EXPECT_EQ(other.on_bytes(now, "CL.THROTTLE b 4 1 1 1\r\n", output).next, Next::wait);
  store.release();
  (void)other.on_wake(now, output);
  EXPECT_EQ(output, integers({0, 5, 4, -1, 1}));
  output.clear();
  (void)session.on_wake(now, output);
  EXPECT_EQ(output, integers({0, 5, 3, -1, 2}));
}

TEST_F(RespSessionTest, AStoreOutOfReachIsAnErrorAndNoRefusal) {
  store.hold = true;
  (void)send("CL.THROTTLE k 0 1 1\r\nWEIR.ACQUIRE api k\r\n");
  store.release(Outcome::Status::unavailable);
  std::string output;
  (void)session.on_wake(now, output);
  const std::string unavailable =
      "-UNAVAILABLE the limit cannot be asked now, and its policy is to deny\r\n";
  EXPECT_EQ(output, unavailable + unavailable);
}

// --- input that ends the session ----------------------------------------------------------------

TEST_F(RespSessionTest, AProtocolErrorIsToldAfterTheAnswersBeforeIt) {
  std::string output;
  progress = session.on_bytes(now, "PING\r\n*1\r\n:1\r\nPING\r\n", output);
  EXPECT_EQ(output, "+PONG\r\n-ERR Protocol error: expected '$'\r\n");
  EXPECT_EQ(progress.next, Next::close);
}

TEST_F(RespSessionTest, NothingIsAnsweredAfterQuit) {
  std::string output;
  progress = session.on_bytes(now, "QUIT\r\nPING\r\n", output);
  EXPECT_EQ(output, "+OK\r\n");
  EXPECT_EQ(progress.next, Next::close);
}

TEST_F(RespSessionTest, AnHttpRequestIsNotTakenForCommands) {
  for (const auto* request : {"POST / HTTP/1.1\r\nCL.THROTTLE k 0 1 1\r\n",
                              "GET / HTTP/1.1\r\nHost: x\r\nCL.THROTTLE k 0 1 1\r\n"}) {
    RespSession fresh(loop, 1, nullptr);
    std::string output;
    EXPECT_EQ(fresh.on_bytes(now, request, output).next, Next::close);
    EXPECT_THAT(output, testing::Not(HasSubstr("*5")));
  }
  EXPECT_TRUE(store.batches.empty());
}

TEST_F(RespSessionTest, B110_EveryDecisionsTimeIsCountedOnceAndNothingElse) {
  clock.set(now + std::chrono::microseconds{3});
  ask({"PING"});
  send(command({"CL.THROTTLE", "k", "1", "1", "60"}) + command({"WEIR.PEEK", "api", "k"}));
  LatencyCounts counts;
  latency.add_to(counts);
  EXPECT_EQ(counts.within[2], 2u);  // above 2.5 and up to 5 microseconds
  EXPECT_EQ(counts.sum, std::chrono::microseconds{6});
}

TEST_F(RespSessionTest, InputIsBoundedByTheParser) {
  std::string output;
  const std::string line(wire::resp::most_inline_bytes, 'x');
  EXPECT_EQ(session.on_bytes(now, line, output).next, Next::close);
  EXPECT_EQ(output, "-ERR Protocol error: too big inline request\r\n");
}

}  // namespace
}  // namespace weir::front::resp
