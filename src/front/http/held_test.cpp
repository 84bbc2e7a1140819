// SPDX-License-Identifier: Apache-2.0
// Answers that wait: for a place in a leaky queue, or for a store that answers later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "front/http/session_fixture.hpp"

namespace weir::front {
namespace {

using namespace std::chrono_literals;
using Next = Progress::Next;

const std::string ask_auth = "GET /v1/auth HTTP/1.1\r\nHost: h\r\n\r\n";

class HeldTest : public HttpTest {
 protected:
  void SetUp() override { load("rules: [{name: queue, limits: [1/s burst 5 leaky_queue]}]"); }
};

TEST_F(HeldTest, AnAnswerWaitsForItsPlaceInTheQueue) {
  auto first = client();
  EXPECT_EQ(first.ask(ask_auth).status, 200);
  auto second = client();
  EXPECT_EQ(second.send(ask_auth), "");
  EXPECT_EQ(second.progress.next, Next::wait);
  EXPECT_EQ(second.progress.wake_at, clock.now() + 1s);
  EXPECT_FALSE(second.idle());
  clock.advance(1s - 1ns);
  EXPECT_EQ(second.wake(), "");
  EXPECT_EQ(second.progress.next, Next::wait);
  clock.advance(1ns);
  auto output = second.wake();
  EXPECT_EQ(take_reply(output).status, 200);
  EXPECT_EQ(second.progress.next, Next::read);
  EXPECT_TRUE(second.idle());
}

TEST_F(HeldTest, WhatIsBehindAHeldAnswerWaitsWithIt) {
  auto peer = client();
  auto output = peer.send(ask_auth + ask_auth + "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n" +
                          ask_auth + "no request\r\n\r\n");
  EXPECT_EQ(take_reply(output).status, 200);
  EXPECT_EQ(output, "");
  clock.advance(1s);
  output = peer.wake();
  EXPECT_EQ(take_reply(output).status, 200);
  EXPECT_EQ(take_reply(output).body, "ok\n");
  EXPECT_EQ(output, "");
  EXPECT_EQ(peer.progress.next, Next::wait);
  clock.advance(1s);
  output = peer.wake();
  EXPECT_EQ(take_reply(output).status, 200);
  EXPECT_EQ(take_reply(output).status, 400);
  EXPECT_EQ(peer.progress.next, Next::close);
}

TEST_F(HeldTest, AContinueWaitsBehindWhatIsHeld) {
  auto peer = client();
  peer.ask(ask_auth);
  EXPECT_EQ(peer.send(ask_auth + "POST /v1/auth HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                                 "Content-Length: 2\r\n\r\n"),
            "");
  clock.advance(1s);
  auto output = peer.wake();
  EXPECT_EQ(take_reply(output).status, 200);
  EXPECT_EQ(output, "HTTP/1.1 100 Continue\r\n\r\n");
}

TEST_F(HeldTest, B56_APeerThatGoesGivesItsPlaceBack) {
  std::vector<TestClient> peers;
  for (int i = 0; i < 4; ++i) {
    peers.push_back(client());
    peers.back().send(ask_auth);
  }
  peers[3].close();  // the last in the queue
  auto next = client();
  next.send(ask_auth);
  EXPECT_EQ(next.progress.wake_at, clock.now() + 3s);
  for (auto* peer : {&peers[1], &peers[2], &next}) peer->close();
  auto last = client();
  last.send(ask_auth);
  EXPECT_EQ(last.progress.wake_at, clock.now() + 1s);
}

TEST_F(HeldTest, AnAnswerThatWasSentKeepsItsPlace) {
  auto peer = client();
  peer.ask(ask_auth);
  peer.close();
  auto next = client();
  EXPECT_EQ(next.send(ask_auth), "");
}

TEST_F(HeldTest, AFullQueueRefuses) {
  std::vector<TestClient> peers;
  for (int i = 0; i < 6; ++i) {
    peers.push_back(client());
    peers.back().send(ask_auth);
  }
  const auto refused = ask(ask_auth);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.fields.at("Retry-After"), "1");
}

TEST_F(HeldTest, HowLongIsBoundedAndThePlaceIsGivenBack) {
  load("rules: [{name: queue, limits: [1/min burst 5 leaky_queue]}]");
  EXPECT_EQ(ask(ask_auth).status, 200);
  for (int i = 0; i < 10; ++i) {
    const auto reply = ask(ask_auth);
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.fields.at("Cache-Control"), "no-store");
  }
  const auto for_nginx = ask("GET /v1/auth?deny=403 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(for_nginx.status, 403);
  EXPECT_EQ(for_nginx.fields.at("X-RateLimit-Status"), "503");
  clock.advance(1min);
  EXPECT_EQ(ask(ask_auth).status, 200);
}

TEST_F(HeldTest, HowManyIsBounded) {
  limits.most_held = 2;
  SetUp();
  EXPECT_EQ(ask(ask_auth).status, 200);
  auto first = client();
  auto second = client();
  first.send(ask_auth);
  second.send(ask_auth);
  EXPECT_EQ(ask(ask_auth).status, 503);
  first.close();
  auto third = client();
  EXPECT_EQ(third.send(ask_auth), "");
  clock.advance(10s);
  EXPECT_NE(second.wake(), "");
  EXPECT_NE(third.wake(), "");
}

/// Answers when it is told to, by the table behind it.
class LaterStore final : public Store {
 public:
  explicit LaterStore(Store& store) : store_(store) {}

  Applied apply(StoreBatch& batch) noexcept override {
    waiting_.push_back(&batch);
    return Applied::later;
  }
  void carry_over(Time now, std::span<const CarryOver> moves) noexcept override {
    store_.carry_over(now, moves);
  }
  void reset(const Key& key, const CompiledLimit& limit) noexcept override {
    store_.reset(key, limit);
  }

  void answer(Outcome::Status status = Outcome::Status::decided) {
    for (auto* batch : std::exchange(waiting_, {})) {
      (void)store_.apply(*batch);
      for (auto& outcome : batch->outcomes) outcome.status = status;
      batch->on_complete(*batch);
    }
  }

 private:
  Store& store_;
  std::vector<StoreBatch*> waiting_;
};

class LaterTest : public HttpTest {
 protected:
  void SetUp() override {
    load("limits: {api: 3/h}\nrules: [{name: r, key: ip, limits: [2/h fixed_window]}]", later);
  }
  LaterStore later{*table};
};

TEST_F(LaterTest, TheAnswersComeWhenTheStoreHasAnswered) {
  auto peer = client();
  EXPECT_EQ(peer.send(ask_auth + check_bytes(R"({"requests": [{"limit": "api"}]})") + ask_auth),
            "");
  EXPECT_EQ(peer.progress.next, Next::wait);
  EXPECT_EQ(peer.progress.wake_at, Time::max());
  EXPECT_FALSE(peer.idle());
  EXPECT_EQ(peer.wake(), "");  // woken for nothing
  EXPECT_EQ(peer.progress.next, Next::wait);
  later.answer();
  EXPECT_EQ(peer.waker->wakes, 1);
  auto output = peer.wake();
  EXPECT_EQ(take_reply(output).fields.at("X-RateLimit-Remaining"), "1");
  EXPECT_EQ(take_reply(output).json().at("results").at(0).at("remaining"), 2);
  EXPECT_EQ(take_reply(output).fields.at("X-RateLimit-Remaining"), "0");
  EXPECT_EQ(output, "");
  EXPECT_TRUE(peer.idle());
}

TEST_F(LaterTest, ConnectionsWaitApart) {
  auto first = client("198.18.0.1");
  auto second = client("198.18.0.2");
  first.send(ask_auth);
  second.send(ask_auth + ask_auth + ask_auth);
  later.answer();
  auto output = first.wake();
  EXPECT_EQ(take_reply(output).fields.at("X-RateLimit-Remaining"), "1");
  output = second.wake();
  take_reply(output);
  take_reply(output);
  EXPECT_EQ(take_reply(output).status, 429);
}

TEST_F(LaterTest, APeerThatGoesMeanwhileIsNotWoken) {
  auto peer = client();
  peer.send(ask_auth);
  peer.close();
  later.answer();
  EXPECT_EQ(peer.waker->wakes, 0);
  auto next = client();
  next.send(ask_auth);
  later.answer();
  auto output = next.wake();
  EXPECT_EQ(take_reply(output).fields.at("X-RateLimit-Remaining"), "0");
}

TEST_F(LaterTest, B48_TheTimeOfTheDecisionIsTheTimeOfItsHeaders) {
  load("rules: [{name: r, limits: [1/20s fixed_window]}]", later);
  auto peer = client();
  const auto told = [&] {
    peer.send(ask_auth);
    clock.advance(2ms);
    later.answer();
    auto output = peer.wake();
    return take_reply(output);
  };
  EXPECT_EQ(told().status, 200);
  clock.set(Time{1'700'000'019s + 999ms});
  EXPECT_EQ(told().fields.at("Retry-After"), "1");
}

TEST_F(LaterTest, B19_AStoreOutOfReachIs503WithoutNumbers) {
  auto peer = client();
  peer.send(ask_auth + check_bytes(R"({"requests": [{"limit": "api"}]})"));
  later.answer(Outcome::Status::unavailable);
  auto output = peer.wake();
  const auto reply = take_reply(output);
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.fields.count("X-RateLimit-Limit"), 0u);
  EXPECT_EQ(reply.fields.count("Retry-After"), 0u);
  EXPECT_EQ(reply.fields.at("Cache-Control"), "no-store");
  const auto result = take_reply(output).json().at("results").at(0);
  EXPECT_EQ(result.at("allowed"), false);
  EXPECT_EQ(result.at("reason"), "unavailable");
  EXPECT_TRUE(result.at("capacity").is_null());
}

TEST_F(LaterTest, B110_LatencyIsThatOfTheStore) {
  auto peer = client();
  for (int i = 0; i < 100; ++i) {
    peer.send(ask_auth);
    clock.advance(50ms);
    later.answer();
    peer.wake();
  }
  const auto counts = latency.counts();
  EXPECT_EQ(counts.sum, 5s);
  EXPECT_EQ(counts.within[14], 100u);  // up to 50 ms
}

TEST_F(LaterTest, APlaceInAQueueIsGivenBackLater) {
  load("rules: [{name: queue, limits: [1/s burst 5 leaky_queue]}]", later);
  auto first = client();
  auto second = client();
  first.send(ask_auth);
  second.send(ask_auth);
  later.answer();
  first.wake();
  second.wake();
  EXPECT_EQ(second.progress.wake_at, clock.now() + 1s);
  second.close();
  later.answer();
  auto third = client();
  third.send(ask_auth);
  later.answer();
  third.wake();
  EXPECT_EQ(third.progress.wake_at, clock.now() + 1s);
}

}  // namespace
}  // namespace weir::front
