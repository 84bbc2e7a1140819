// SPDX-License-Identifier: Apache-2.0
// Routes, connections and what comes in one read.
#include "front/http/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "front/http/session_fixture.hpp"

namespace weir::front {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

class SessionTest : public HttpTest {
 protected:
  void SetUp() override {
    load(R"(
limits: {api: 3/h fixed_window}
rules:
  - {name: everybody, key: "header:x-key | ip", limits: [3/h fixed_window]}
)");
  }

  static std::string get(std::string_view target) {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n";
  }
};

TEST_F(SessionTest, OtherPagesAreToldWhichThereAre) {
  const auto reply = ask(get("/v1/chek"));
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.fields.at("Content-Type"), "application/problem+json");
  const auto detail = std::string(reply.json().at("detail").as_string());
  for (const auto* page : {"/v1/check", "/v1/auth", "/healthz", "/readyz", "/metrics"}) {
    EXPECT_THAT(detail, HasSubstr(page));
  }
}

TEST_F(SessionTest, AWrongMethodIsToldTheRightOne) {
  const auto check = ask(get("/v1/check"));
  EXPECT_EQ(check.status, 405);
  EXPECT_EQ(check.fields.at("Allow"), "POST");
  const auto page = ask("DELETE /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(page.status, 405);
  EXPECT_EQ(page.fields.at("Allow"), "GET, HEAD");
  EXPECT_EQ(ask("HEAD /v1/check HTTP/1.1\r\nHost: h\r\n\r\n").body, "");
}

TEST_F(SessionTest, ThePagesForOperatorsAreHereToo) {
  EXPECT_EQ(ask(get("/healthz")).body, "ok\n");
  EXPECT_EQ(ask("HEAD /healthz HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  source.reason = "stopping";
  const auto reply = ask(get("http://weir:8080/readyz"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.body, "stopping\n");
  EXPECT_THAT(ask(get("/metrics")).body, HasSubstr("weir_decisions_total"));
}

TEST_F(SessionTest, EveryAnswerIsDated) {
  for (const auto& bytes : {get("/healthz"), get("/x"), get("/v1/auth"), check_bytes("{}")}) {
    EXPECT_EQ(ask(bytes).fields.at("Date"), "Tue, 14 Nov 2023 22:13:20 GMT");
  }
}

TEST_F(SessionTest, AConnectionStaysUntilOneSideWantsItsEnd) {
  auto peer = client();
  EXPECT_EQ(peer.ask(get("/v1/auth")).status, 200);
  EXPECT_EQ(peer.progress.next, Progress::Next::read);
  EXPECT_TRUE(peer.idle());
  const auto last = peer.ask("GET /v1/auth HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" +
                             get("/never/read"));
  EXPECT_EQ(last.fields.at("Connection"), "close");
  EXPECT_EQ(peer.progress.next, Progress::Next::close);

  auto old = client();
  EXPECT_EQ(old.ask("GET /healthz HTTP/1.0\r\n\r\n").fields.at("Connection"), "close");
  EXPECT_EQ(old.progress.next, Progress::Next::close);
  auto kept = client();
  EXPECT_EQ(
      kept.ask("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").fields.at("Connection"),
      "keep-alive");
  EXPECT_EQ(kept.progress.next, Progress::Next::read);
}

TEST_F(SessionTest, WhatIsNoRequestIsToldSoAndEndsTheConnection) {
  auto peer = client();
  auto output = peer.send(get("/v1/auth") + "nonsense\r\n\r\n" + get("/healthz"));
  EXPECT_EQ(take_reply(output).status, 200);
  const auto fault = take_reply(output);
  EXPECT_EQ(fault.status, 400);
  EXPECT_EQ(fault.fields.at("Connection"), "close");
  EXPECT_EQ(output, "");
  EXPECT_EQ(peer.progress.next, Progress::Next::close);
}

TEST_F(SessionTest, SizesOfRequestsAreBounded) {
  EXPECT_EQ(ask("GET /v1/auth HTTP/1.1\r\nHost: h\r\nX: " + std::string(40'000, 'x')).status, 431);
  EXPECT_EQ(ask("POST /v1/check HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577\r\n\r\n").status,
            413);
  EXPECT_EQ(ask(check_bytes(std::string(1 << 20, ' '))).status, 400);  // it fits; it is not JSON
}

TEST_F(SessionTest, ABodyMayBeAwaitedAndMayComeInChunks) {
  auto peer = client();
  const std::string body = R"({"requests": [{"limit": "api"}]})";
  EXPECT_EQ(
      peer.send("POST /v1/check HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n"),
      "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_FALSE(peer.idle());
  EXPECT_EQ(peer.ask(body).status, 200);
  EXPECT_TRUE(peer.idle());
  const auto reply = peer.ask(
      "POST /v1/check HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "10\r\n" +
      body.substr(0, 16) + "\r\n10\r\n" + body.substr(16) + "\r\n0\r\n\r\n");
  EXPECT_EQ(reply.json().at("results").at(0).at("remaining"), 1);
}

TEST_F(SessionTest, WhatComesInOneReadIsAnsweredInOrder) {
  auto peer = client();
  auto output =
      peer.send(get("/v1/auth") + check_bytes(R"({"requests": [{"limit": "api", "key": "k"}]})") +
                get("/healthz") + get("/v1/auth") + get("/x") +
                check_bytes(R"({"requests": [{"limit": "api", "key": "k", "cost": 2}]})"));
  EXPECT_EQ(take_reply(output).fields.at("X-RateLimit-Remaining"), "2");
  EXPECT_EQ(take_reply(output).json().at("results").at(0).at("remaining"), 2);
  EXPECT_EQ(take_reply(output).body, "ok\n");
  EXPECT_EQ(take_reply(output).fields.at("X-RateLimit-Remaining"), "1");
  EXPECT_EQ(take_reply(output).status, 404);
  EXPECT_EQ(take_reply(output).json().at("results").at(0).at("remaining"), 0);
  EXPECT_EQ(output, "");
}

TEST_F(SessionTest, ManyAtOnceAreTakenInTurns) {
  limits.most_asks_of_turn = 2;
  SetUp();
  auto peer = client();
  std::string bytes;
  for (int i = 0; i < 5; ++i) bytes += get("/v1/auth");
  auto output = peer.send(bytes);
  std::string statuses;
  for (int i = 0; i < 5; ++i) statuses += std::to_string(take_reply(output).status) + " ";
  EXPECT_EQ(statuses, "200 200 200 429 429 ");

  std::string pages;
  for (int i = 0; i < 200; ++i) pages += get("/metrics");
  std::string first_turn;
  const auto session = sessions->make({});
  const auto progress = session->on_bytes(clock.now(), pages, first_turn);
  EXPECT_EQ(progress.next, Progress::Next::again);
  EXPECT_LT(first_turn.size(), std::size_t{400} << 10);
}

TEST_F(SessionTest, B15_ConcurrentConnectionsShareOneCount) {
  auto first = client();
  auto second = client();
  std::string remaining;
  for (int i = 0; i < 3; ++i) {
    remaining +=
        (i % 2 == 0 ? first : second).ask(get("/v1/auth")).fields.at("X-RateLimit-Remaining");
  }
  EXPECT_EQ(remaining, "210");
  EXPECT_EQ(second.ask(get("/v1/auth")).status, 429);
}

TEST_F(SessionTest, B110_LatencyIsCountedForEveryDecision) {
  auto peer = client();
  peer.send(get("/v1/auth") + get("/v1/auth") + get("/healthz"));
  EXPECT_EQ(latency.counts().within[0], 2u);
  peer.send(get("/healthz"));
  EXPECT_EQ(latency.counts().within[0], 2u);
}

TEST_F(SessionTest, AnySplitOfTheBytesGivesTheSameAnswers) {
  std::string bytes;
  for (int i = 0; i < 3; ++i) {
    bytes += "POST /v1/auth HTTP/1.1\r\nHost: h\r\nX-Key: s\r\nContent-Length: 3\r\n\r\nabc";
    bytes += check_bytes(R"({"requests": [{"rate": "5/h", "key": "s\u0041"}, {"limit": "api"}]})");
    bytes +=
        "POST /v1/check HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
        "chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    bytes += get("/healthz");
  }
  bytes += "BAD\r\n\r\n";
  const auto whole = client().send(bytes);
  EXPECT_TRUE(rc::check([&] {
    SetUp();
    auto peer = client();
    std::string output;
    for (std::string_view rest = bytes; !rest.empty();) {
      const auto size = std::min<std::size_t>(*rc::gen::inRange<std::size_t>(1, 200), rest.size());
      output += peer.send(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    RC_ASSERT(output == whole);
  }));
}

}  // namespace
}  // namespace weir::front
