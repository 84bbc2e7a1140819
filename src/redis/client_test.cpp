// SPDX-License-Identifier: Apache-2.0
// The client and a real server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redis/client_fixture_test_support.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;
using End = Exchange::End;
using testing::Contains;
using testing::HasSubstr;

using ClientTest = ClientFixture;

TEST_F(ClientTest, RepliesComeInOrder) {
  const TestServer server;
  connect(server.url());
  for (int i = 0; i < 100; ++i) send({{"INCR", "n"}, {"GET", "n"}});
  ASSERT_TRUE(run_until_ended(asked_.back()));
  for (int i = 0; i < 100; ++i) {
    const auto number = std::to_string(i + 1);
    EXPECT_EQ(asked_[static_cast<std::size_t>(i)].replies[0], number);
    EXPECT_EQ(asked_[static_cast<std::size_t>(i)].replies[1], '"' + number + '"');
    EXPECT_EQ(asked_[static_cast<std::size_t>(i)].end, End::replied);
  }
  EXPECT_EQ(stats_.replied, 200U);
  EXPECT_EQ(stats_.open_connections, 1U);
  EXPECT_THAT(told_, testing::ElementsAre(HasSubstr(": connected")));
}

TEST_F(ClientTest, B18_ASilentServerHoldsNobodyLongerThanTheDeadline) {
  const TestServer server;
  connect(server.url());
  ASSERT_TRUE(run_until_ended(send({{"SET", "n", "0"}})));
  server.pause();
  Duration longest{};
  for (int round = 0; round < 20; ++round) {
    const Time sent = clock_.now();
    for (int i = 0; i < 25; ++i) send({{"INCR", "n"}}, 50ms);
    ASSERT_TRUE(all_end());
    EXPECT_NE(asked_.back().end, End::replied);
    longest = std::max(longest, clock_.now() - sent);
  }
  // A tenth of this would do, were the machine not busy with other tests.
  EXPECT_LT(longest, 50ms + 500ms);
  EXPECT_EQ(told_[1].substr(told_[1].find(": ")), ": does not answer in time");
  server.go_on();
  ASSERT_TRUE(answers_in_the_end());
  // What was given up and ran nevertheless is nobody's: this reply is the server's own number.
  auto& last = send({{"GET", "n"}});
  ASSERT_TRUE(run_until_ended(last));
  EXPECT_EQ(last.reply(), '"' + server.ask({"GET", "n"}) + '"');
  EXPECT_EQ(stats_.open_connections, 1U);
}

TEST_F(ClientTest, AServerThatComesBackIsUsedAgain) {
  TestServer server;
  connect(server.url());
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  server.kill();
  ASSERT_TRUE(run_until([&] { return told_.size() >= 3; }));
  EXPECT_THAT(told_, testing::ElementsAre(HasSubstr("connected"), HasSubstr("connection lost"),
                                          HasSubstr("is out of reach")));
  auto& refused = send({{"PING"}});
  EXPECT_FALSE(refused.end.has_value());
  ASSERT_TRUE(run_until_ended(refused));
  EXPECT_EQ(refused.end, End::unavailable);
  server.start();
  ASSERT_TRUE(answers_in_the_end());
}

TEST_F(ClientTest, B16_LostScriptsAreLoadedAgainAndTheCommandRunsOnce) {
  const TestServer server;
  connect(server.url());
  const auto sha = server.ask({"SCRIPT", "LOAD", std::string(add_script)});
  ASSERT_TRUE(run_until_ended(send({{"EVALSHA", sha, "1", "n", "1"}})));
  server.ask({"SCRIPT", "FLUSH", "SYNC"});
  for (int i = 0; i < 10; ++i) send({{"EVALSHA", sha, "1", "n", "1"}, {"PING"}});
  ASSERT_TRUE(all_end());
  EXPECT_EQ(asked_.back().replies, (std::vector<std::string>{"11", "+PONG"}));
  EXPECT_EQ(server.ask({"GET", "n"}), "11");
  EXPECT_EQ(stats_.scripts_reloaded, 1U);
}

TEST_F(ClientTest, PasswordsAndDatabases) {
  const TestServer server({"--requirepass", "s3cret"});
  connect("redis://:s3cret@127.0.0.1:" + std::to_string(server.port()) + "/3");
  auto& asked = send({{"CLIENT", "INFO"}});
  ASSERT_TRUE(run_until_ended(asked));
  EXPECT_THAT(asked.reply(), testing::AllOf(HasSubstr("db=3"), HasSubstr("name=weir")));
}

TEST_F(ClientTest, AWrongPasswordIsToldOnce) {
  const TestServer server({"--requirepass", "s3cret"});
  connect("redis://:wrong@127.0.0.1:" + std::to_string(server.port()));
  auto& asked = send({{"PING"}});
  ASSERT_TRUE(run_until_ended(asked));
  EXPECT_EQ(asked.end, End::unavailable);
  ASSERT_TRUE(run_until([&] { return stats_.connects_failed >= 3; }));
  EXPECT_THAT(told_, testing::ElementsAre(HasSubstr("AUTH is refused: WRONGPASS")));
}

TEST_F(ClientTest, AUnixSocket) {
  const TestServer server;
  connect("unix://" + server.socket());
  auto& asked = send({{"PING"}});
  ASSERT_TRUE(run_until_ended(asked));
  EXPECT_EQ(asked.reply(), "+PONG");
}

TEST_F(ClientTest, ASocketsPathMayBeTooLong) {
  connect("unix:///" + std::string(200, 'x'));
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  EXPECT_EQ(asked_.back().end, End::unavailable);
  EXPECT_THAT(told_, testing::ElementsAre(HasSubstr("its path is too long")));
}

TEST_F(ClientTest, ANameIsResolved) {
  const TestServer server;
  connect("redis://localhost:" + std::to_string(server.port()));
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  EXPECT_EQ(asked_.back().reply(), "+PONG");
}

TEST_F(ClientTest, TheServersTimeIsKnown) {
  const TestServer server;
  connect(server.url());
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  // Both read the same clock of this machine.
  EXPECT_LT(std::chrono::abs(client_->clock_offset(0)), 500ms);
  EXPECT_NE(client_->clock_offset(0), 0ns);
}

TEST_F(ClientTest, WhoEndsLeavesNobodyWaiting) {
  const TestServer server;
  connect(server.url());
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  server.pause();
  auto& asked = send({{"PING"}});
  run_until([&] { return stats_.sent >= 2; });
  auto& queued = send({{"PING"}});
  client_.reset();
  EXPECT_EQ(asked.end, End::unknown);
  EXPECT_EQ(queued.end, End::unavailable);
  EXPECT_EQ(stats_.open_connections, 0U);
  server.go_on();
}

}  // namespace
}  // namespace weir::redis
