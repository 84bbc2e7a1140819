// SPDX-License-Identifier: Apache-2.0
// A connection's conduct, by calls: what is read when, what waits, and when it is cut.
#include "front/dialog.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

namespace weir::front {
namespace {

using namespace std::chrono_literals;
using Next = Progress::Next;

/// A session that does what the test says.
struct Script final : Session {
  struct Step {
    std::size_t eaten = 0;
    Next next = Next::read;
    std::string answer = {};
    Time wake_at = Time::max();
    bool idle_after = true;
  };
  std::vector<Step> steps;  ///< one for each turn
  std::vector<std::string> inputs;
  bool idle_now = true;
  int closes = 0;

  Progress take(std::string& output) {
    EXPECT_FALSE(steps.empty()) << "a turn that was not expected";
    if (steps.empty()) return {};
    const Step step = steps.front();
    steps.erase(steps.begin());
    output += step.answer;
    idle_now = step.idle_after;
    return {.eaten = step.eaten, .next = step.next, .wake_at = step.wake_at};
  }
  Progress on_bytes(Time, std::string_view input, std::string& output) override {
    inputs.emplace_back(input);
    return take(output);
  }
  Progress on_wake(Time, std::string& output) override { return take(output); }
  void on_close(Time) noexcept override { ++closes; }
  [[nodiscard]] bool idle() const noexcept override { return idle_now; }
};

class DialogTest : public testing::Test {
 protected:
  void arrive(std::string_view bytes) {
    const auto room = dialog.room();
    ASSERT_GE(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), bytes.size());
    dialog.arrived(now, bytes.size());
  }
  void then(Script::Step step) { script->steps.push_back(std::move(step)); }
  void write_all() { dialog.wrote(now, dialog.to_write().size()); }

  Time now{Duration{1h}};
  DialogLimits limits{
      .most_input = 100, .most_output = 20, .idle_timeout = 60s, .request_timeout = 10s};
  Script* script = new Script;  // the dialog's
  Dialog dialog{std::unique_ptr<Session>(script), limits, now};
};

TEST_F(DialogTest, ARequestIsAnsweredAndTheNextIsRead) {
  EXPECT_TRUE(dialog.wants_read());
  then({.eaten = 4, .answer = "pong"});
  arrive("ping");
  EXPECT_EQ(dialog.to_write(), "pong");
  write_all();
  EXPECT_EQ(dialog.to_write(), "");
  EXPECT_TRUE(dialog.wants_read());
  EXPECT_FALSE(dialog.over());
}

TEST_F(DialogTest, WhatIsNotEatenComesAgainWithMoreBehindIt) {
  then({.eaten = 2});
  then({.eaten = 5});
  arrive("abcd");
  arrive("efg");
  EXPECT_EQ(script->inputs, (std::vector<std::string>{"abcd", "cdefg"}));
}

TEST_F(DialogTest, AgainIsATurnWithWhatIsLeftAndNoRead) {
  then({.eaten = 1, .next = Next::again});
  then({.eaten = 1});
  arrive("ab");
  EXPECT_TRUE(dialog.wants_turn());
  EXPECT_FALSE(dialog.wants_read());
  dialog.turn(now);
  EXPECT_EQ(script->inputs, (std::vector<std::string>{"ab", "b"}));
  EXPECT_TRUE(dialog.wants_read());
}

TEST_F(DialogTest, WhileItWaitsBytesAreReadButNotHandedOn) {
  then({.eaten = 1, .next = Next::wait, .wake_at = now + 5s, .idle_after = false});
  arrive("ab");
  EXPECT_TRUE(dialog.waits());
  EXPECT_EQ(dialog.wake_at(), now + 5s);
  EXPECT_TRUE(dialog.wants_read());  // to see the peer go away
  arrive("c");
  EXPECT_EQ(script->inputs.size(), 1u);
  then({.answer = "x"});
  dialog.woken(now);
  EXPECT_EQ(dialog.to_write(), "x");
  EXPECT_TRUE(dialog.wants_turn());  // what came meanwhile
  then({.eaten = 2});
  dialog.turn(now);
  EXPECT_EQ(script->inputs.back(), "bc");
}

TEST_F(DialogTest, AWakeThatNobodyWaitsForIsNothing) {
  dialog.woken(now);
  EXPECT_TRUE(script->inputs.empty());
}

TEST_F(DialogTest, ClosingWaitsForTheLastAnswerToLeave) {
  then({.eaten = 1, .next = Next::close, .answer = "bye"});
  arrive("x");
  EXPECT_FALSE(dialog.finished());
  EXPECT_FALSE(dialog.wants_read());
  dialog.wrote(now, 2);
  EXPECT_FALSE(dialog.finished());
  now += 3s;
  dialog.wrote(now, 1);
  EXPECT_TRUE(dialog.finished());
  EXPECT_FALSE(dialog.over());
  dialog.ended();
  EXPECT_TRUE(dialog.over());
  dialog.close(now);
  EXPECT_EQ(script->closes, 1);
}

TEST_F(DialogTest, WhatComesAfterTheLastAnswerIsThrownAwayForAWhile) {
  then({.eaten = 1, .next = Next::close, .answer = "bye"});
  arrive("x");
  now += 3s;
  write_all();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(dialog.wants_read());
    arrive(std::string(100, 'y'));  // no turn
  }
  EXPECT_FALSE(dialog.over());
  EXPECT_EQ(dialog.deadline(), now + limits.linger);
}

TEST_F(DialogTest, APeerThatIsSlowToReadIsNotReadFrom) {
  then({.eaten = 1, .answer = std::string(30, 'x')});
  arrive("a");
  EXPECT_FALSE(dialog.wants_read());
  dialog.wrote(now, 10);
  EXPECT_TRUE(dialog.wants_read());  // no more than the bound is pending
}

TEST_F(DialogTest, NoTurnIsTakenWhileTooMuchIsPending) {
  then({.eaten = 1, .next = Next::again, .answer = std::string(30, 'x')});
  arrive("ab");
  EXPECT_FALSE(dialog.wants_turn());
  write_all();
  EXPECT_TRUE(dialog.wants_turn());
}

TEST_F(DialogTest, ASessionThatLeavesTooMuchIsEnded) {
  for (int i = 0; i < 2; ++i) {
    then({});
    arrive(std::string(50, 'x'));
  }
  EXPECT_TRUE(dialog.finished());
}

TEST_F(DialogTest, ReadingStopsWhereTooMuchCameWhileItWaited) {
  then({.next = Next::wait, .idle_after = false});
  arrive(std::string(100, 'x'));
  EXPECT_FALSE(dialog.wants_read());
}

TEST_F(DialogTest, WhatAPeerSentBeforeItsEndIsAnswered) {
  then({.eaten = 1, .next = Next::again, .answer = "1"});
  arrive("ab");
  dialog.ended();
  EXPECT_FALSE(dialog.over());
  then({.eaten = 1, .answer = "2"});
  dialog.turn(now);
  EXPECT_EQ(dialog.to_write(), "12");
  EXPECT_FALSE(dialog.over());
  write_all();
  EXPECT_TRUE(dialog.over());
}

TEST_F(DialogTest, NoAnswerIsWaitedForOnceThePeerHasGone) {
  then({.eaten = 1, .next = Next::wait, .idle_after = false});
  arrive("a");
  EXPECT_FALSE(dialog.over());
  dialog.ended();
  EXPECT_TRUE(dialog.over());
}

// --- time ---------------------------------------------------------------------------------------

TEST_F(DialogTest, BetweenRequestsTheIdleTimeoutRuns) {
  EXPECT_EQ(dialog.deadline(), now + 60s);
  EXPECT_TRUE(dialog.idle());
  now += 30s;
  then({.eaten = 1});
  arrive("x");
  EXPECT_EQ(dialog.deadline(), now + 60s);
}

TEST_F(DialogTest, ARequestMustComeWholeWithinItsTime) {
  then({});
  arrive("a");
  const Time began = now;
  EXPECT_FALSE(dialog.idle());
  EXPECT_EQ(dialog.deadline(), began + 10s);
  for (int i = 0; i < 5; ++i) {  // one byte at a time does not put it off
    now += 1s;
    then({});
    arrive("a");
    EXPECT_EQ(dialog.deadline(), began + 10s);
  }
  then({.eaten = 7, .answer = "done"});
  arrive("b");
  write_all();
  EXPECT_EQ(dialog.deadline(), now + 60s);
}

TEST_F(DialogTest, ASessionThatEatsPiecesOfARequestIsHeldToTheSameTime) {
  then({.eaten = 1, .idle_after = false});
  arrive("a");
  const Time began = now;
  now += 5s;
  then({.eaten = 1, .idle_after = false});
  arrive("b");
  EXPECT_EQ(dialog.deadline(), began + 10s);
}

TEST_F(DialogTest, EachAnswerStartsTheTimeOfTheNextRequest) {
  then({});
  arrive("a");
  now += 9s;
  then({.eaten = 2, .answer = "x"});  // and the beginning of another
  arrive("bc");
  write_all();
  EXPECT_EQ(dialog.deadline(), now + 10s);
}

TEST_F(DialogTest, WhileTheSessionHoldsAnAnswerNobodyIsCut) {
  then({.eaten = 1, .next = Next::wait, .idle_after = false});
  arrive("a");
  EXPECT_EQ(dialog.deadline(), Time::max());
}

TEST_F(DialogTest, AnAnswerMustLeaveWithinItsTime) {
  then({.eaten = 1, .answer = std::string(30, 'x')});
  arrive("a");
  const Time began = now;
  dialog.wrote(now, 5);
  EXPECT_FALSE(dialog.idle());
  EXPECT_EQ(dialog.deadline(), began + 10s);
  now += 3s;
  dialog.wrote(now, 5);  // some progress does not put it off
  EXPECT_EQ(dialog.deadline(), began + 10s);
  write_all();
  EXPECT_EQ(dialog.deadline(), began + 60s);
}

TEST_F(DialogTest, AnswersThatCameLaterHaveATimeOfTheirOwn) {
  then({.eaten = 1, .answer = std::string(10, 'x')});
  arrive("a");
  const Time began = now;
  dialog.wrote(now, 0);
  now += 4s;
  then({.eaten = 1, .answer = std::string(10, 'y')});
  arrive("b");
  dialog.wrote(now, 5);
  EXPECT_EQ(dialog.deadline(), began + 10s);
  now += 4s;
  dialog.wrote(now, 5);  // the first answer has left
  EXPECT_EQ(dialog.deadline(), now + 10s);
}

TEST_F(DialogTest, ATimeoutOfForeverDoesNotOverflow) {
  limits.idle_timeout = never;
  Dialog patient(std::make_unique<Script>(), limits, now);
  EXPECT_EQ(patient.deadline(), Time::max());
}

// --- the server's end ---------------------------------------------------------------------------

TEST_F(DialogTest, DrainingEndsItAtOnceWhereNothingIsHalfDone) {
  dialog.drain();
  EXPECT_TRUE(dialog.over());
}

TEST_F(DialogTest, DrainingLetsAHalfReadRequestFinish) {
  then({});
  arrive("a");
  dialog.drain();
  EXPECT_FALSE(dialog.over());
  then({.eaten = 2, .answer = "x"});
  arrive("b");
  EXPECT_FALSE(dialog.over());
  write_all();
  EXPECT_TRUE(dialog.over());
}

TEST_F(DialogTest, DrainingDoesNotLinger) {
  then({.next = Next::close, .answer = "bye"});
  arrive("x");
  dialog.drain();
  EXPECT_FALSE(dialog.over());
  write_all();
  EXPECT_TRUE(dialog.over());
}

TEST_F(DialogTest, DrainingLetsAHeldAnswerFinish) {
  then({.eaten = 1, .next = Next::wait, .idle_after = false});
  arrive("a");
  dialog.drain();
  EXPECT_FALSE(dialog.over());
  then({.answer = "x"});
  dialog.woken(now);
  write_all();
  EXPECT_TRUE(dialog.over());
}

}  // namespace
}  // namespace weir::front
