// SPDX-License-Identifier: Apache-2.0
// The server over real sockets. Its clock is moved by hand, so no timeout comes by itself.
#include "front/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <filesystem>
#include <set>

#include "front/socket_test_support.hpp"

namespace weir::front {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::IsEmpty;
using testing::StartsWith;

struct Fixture : testing::Test {
  ServerOptions options{.loops = 2, .idle_timeout = 10s, .request_timeout = 80ms};
  ManualClock clock{Time{1h}};
  LineDoor door;
  std::unique_ptr<Server> server;
  std::unique_ptr<RunningServer> running;

  std::string start(const std::string& address = "127.0.0.1:0") {
    server = std::make_unique<Server>(options, clock);
    const auto bound = server->listen(address, door);
    EXPECT_TRUE(bound.ok()) << bound.error();
    running = std::make_unique<RunningServer>(*server);
    return *bound;
  }
};

using ServerTest = Fixture;

TEST_F(ServerTest, AnswersOnTheAddressThatItTells) {
  const auto address = start();
  EXPECT_THAT(address, AllOf(StartsWith("127.0.0.1:"), testing::Not("127.0.0.1:0")));
  TestClient client(address);
  client.send("hello\n");
  EXPECT_EQ(client.read_until("\n"), "hello\n");
  client.send("one\ntwo\n");
  EXPECT_EQ(client.read_until("two\n"), "one\ntwo\n");
  EXPECT_THAT(door.peers(), testing::ElementsAre("127.0.0.1"));
}

TEST_F(ServerTest, SpeaksIPv6) {
  const auto address = start("[::1]:0");
  TestClient client(address);
  client.send("hello\n");
  EXPECT_EQ(client.read_until("\n"), "hello\n");
  EXPECT_THAT(door.peers(), testing::ElementsAre("::1"));
}

TEST_F(ServerTest, AllAddressesTakeBothKindsAndAMappedPeerIsItsIPv4Address) {
  const auto address = start(":0");
  const auto port = address.substr(address.rfind(':'));
  TestClient client("127.0.0.1" + port);
  client.send("hello\n");
  EXPECT_EQ(client.read_until("\n"), "hello\n");
  EXPECT_THAT(door.peers(), testing::ElementsAre("127.0.0.1"));
}

TEST_F(ServerTest, AUnixSocketsPeerHasNoAddressAndItsFileGoesAtTheEnd) {
  const auto path = testing::TempDir() + "weir-server-test.sock";
  const auto address = start("unix:" + path);
  EXPECT_EQ(address, "unix:" + path);
  {
    TestClient client(address);
    client.send("hello\n");
    EXPECT_EQ(client.read_until("\n"), "hello\n");
  }
  EXPECT_THAT(door.peers(), testing::ElementsAre("none"));
  running->stop();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ServerTest, DealsConnectionsToItsLoopsInTurn) {
  const auto address = start();
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(std::make_unique<TestClient>(address));
    clients.back()->send("x\n");
    EXPECT_EQ(clients.back()->read_until("\n"), "x\n");
  }
  const auto loops = door.loops();
  EXPECT_EQ(std::count(loops.begin(), loops.end(), 0u), 3);
  EXPECT_EQ(std::count(loops.begin(), loops.end(), 1u), 3);
}

TEST_F(ServerTest, ALongPipelineIsAnsweredWholeAndInOrder) {
  const auto address = start();
  TestClient client(address);
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += std::to_string(i) + "\n";
  std::thread sender([&] { client.send(lines); });
  EXPECT_EQ(client.read_exactly(lines.size()), lines);
  sender.join();
}

TEST_F(ServerTest, AnAnswerLargerThanTheSocketsBuffersArrivesWhole) {
  const auto address = start();
  TestClient client(address);
  client.send("big 30000000\nafter\n");
  EXPECT_EQ(client.read_exactly(30'000'001).size(), 30'000'001u);
  EXPECT_EQ(client.read_until("\n"), "after\n");
}

TEST_F(ServerTest, WhatWasSentBeforeTheEndIsAnswered) {
  const auto address = start();
  TestClient client(address);
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += std::to_string(i) + "\n";
  client.send(lines);
  client.finish_sending();
  EXPECT_EQ(client.read_to_end(), lines);
}

TEST_F(ServerTest, AnAnswerIsHeldUntilItsTime) {
  const auto address = start();
  TestClient client(address);
  client.send("first\nwait 5\nnext\n");
  EXPECT_EQ(client.read_until("\n"), "first\n");  // one turn with the wait: it has begun
  char byte = 0;
  EXPECT_EQ(::recv(client.fd(), &byte, 1, MSG_DONTWAIT), -1);
  clock.advance(5ms);
  EXPECT_EQ(client.read_until("next\n"), "woken\nnext\n");
}

TEST_F(ServerTest, AnAnswerIsHeldUntilItsSessionIsWoken) {
  const auto address = start();
  TestClient client(address);
  TestClient other(address);
  client.send("a\nhold\nnext\n");
  other.send("b\nhold\nnext\n");
  EXPECT_EQ(client.read_until("\n"), "a\n");
  EXPECT_EQ(other.read_until("\n"), "b\n");
  door.wake_holders(*server);
  EXPECT_EQ(client.read_until("next\n"), "woken\nnext\n");
  EXPECT_EQ(other.read_until("next\n"), "woken\nnext\n");
}

TEST_F(ServerTest, APeerThatGoesAwayGivesItsPlaceBack) {
  const auto address = start();
  {
    TestClient client(address);
    client.send("a\nhold\n");
    EXPECT_EQ(client.read_until("\n"), "a\n");
    client.finish_sending();
    EXPECT_EQ(client.read_to_end(), "");
  }
  wait_until([&] { return door.closed() == 1; });
  EXPECT_EQ(door.closed_holding(), 1);
  wait_until([&] { return server->stats().open == 0; });
}

TEST_F(ServerTest, AResetEndsTheSession) {
  const auto address = start();
  TestClient client(address);
  client.send("x\n");
  EXPECT_EQ(client.read_until("\n"), "x\n");
  client.reset_hard();
  wait_until([&] { return door.closed() == 1; });
}

TEST_F(ServerTest, TheSessionClosesAfterItsLastAnswer) {
  const auto address = start();
  TestClient client(address);
  client.send("a\nclose\nnever\n");
  EXPECT_EQ(client.read_to_end(), "a\nclose\n");
}

TEST_F(ServerTest, TheLastAnswerReachesAPeerThatIsStillSending) {
  const auto address = start();
  TestClient client(address);
  client.send("close\n");
  client.send(std::string(5'000'000, 'x'));  // left unread, it would make closing a reset
  EXPECT_EQ(client.read_to_end(), "close\n");
  EXPECT_EQ(server->stats().open, 1u);
  clock.advance(1s);
  wait_until([&] { return server->stats().open == 0; });
  EXPECT_EQ(server->stats().cut_idle + server->stats().cut_slow, 0u);
}

TEST_F(ServerTest, AnExceptionEndsOnlyItsConnection) {
  const auto address = start();
  TestClient client(address);
  TestClient other(address);
  client.send("throw\n");
  EXPECT_EQ(client.read_to_end(), "");
  other.send("x\n");
  EXPECT_EQ(other.read_until("\n"), "x\n");
  EXPECT_EQ(server->stats().failed, 1u);
}

TEST_F(ServerTest, InputWithoutBoundEndsTheConnection) {
  const auto address = start();
  TestClient client(address);
  std::thread sender([&] { client.send(std::string(10'000'000, 'x')); });
  EXPECT_EQ(client.read_to_end(), "");
  sender.join();
}

TEST_F(ServerTest, AnIdleConnectionIsCutAndCounted) {
  options.idle_timeout = 80ms;
  options.request_timeout = 10s;
  const auto address = start();
  TestClient client(address);
  client.send("x\n");
  EXPECT_EQ(client.read_until("\n"), "x\n");
  clock.advance(80ms);
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(server->stats().cut_idle, 1u);
  EXPECT_EQ(server->stats().cut_slow, 0u);
}

TEST_F(ServerTest, ARequestThatDoesNotComeWholeIsCut) {
  const auto address = start();
  TestClient client(address);
  client.send("a\nhalf a li");
  EXPECT_EQ(client.read_until("\n"), "a\n");
  clock.advance(80ms);
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(server->stats().cut_slow, 1u);
}

TEST_F(ServerTest, APeerThatDoesNotReadIsCut) {
  options.most_pending_output = 1000;
  const auto address = start();
  TestClient client(address);
  client.send("big 30000000\n");
  (void)client.read_exactly(1);  // the answer has begun to leave
  wait_until([&] {
    clock.advance(80ms);
    return server->stats().cut_slow == 1;
  });
  EXPECT_LT(client.read_to_end().size(), 30'000'000u);
}

TEST_F(ServerTest, ConnectionsBeyondTheCapAreTurnedAwayUntilOneEnds) {
  options.most_connections = 2;
  const auto address = start();
  auto first = std::make_unique<TestClient>(address);
  TestClient second(address);
  first->send("x\n");
  second.send("x\n");
  EXPECT_EQ(first->read_until("\n"), "x\n");
  EXPECT_EQ(second.read_until("\n"), "x\n");
  EXPECT_EQ(TestClient(address).read_to_end(), "");
  EXPECT_EQ(server->stats().turned_away, 1u);
  EXPECT_EQ(server->stats().open, 2u);
  first.reset();
  wait_until([&] { return server->stats().open == 1; });
  TestClient third(address);
  third.send("x\n");
  EXPECT_EQ(third.read_until("\n"), "x\n");
}

TEST_F(ServerTest, WithoutDescriptorsAcceptingRestsAndGoesOn) {
  const auto address = start();
  TestClient first(address);
  first.send("x\n");
  EXPECT_EQ(first.read_until("\n"), "x\n");
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const Fd next(::dup(0));  // the lowest free number: from here on none may be taken
  const Fd client_socket(::socket(AF_INET, SOCK_STREAM, 0));
  const rlimit none{.rlim_cur = static_cast<rlim_t>(next.get()), .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  ::getpeername(first.fd(), reinterpret_cast<sockaddr*>(&peer), &size);
  EXPECT_EQ(::connect(client_socket.get(), reinterpret_cast<sockaddr*>(&peer), size), 0);
  wait_until([&] { return server->stats().accept_pauses > 0; });
  ::setrlimit(RLIMIT_NOFILE, &before);
  wait_until([&] { return server->stats().accepted == 2; });
  first.send("y\n");
  EXPECT_EQ(first.read_until("\n"), "y\n");
}

TEST_F(ServerTest, StoppingEndsIdleConnectionsAndLetsBusyOnesFinish) {
  const auto address = start();
  TestClient idle(address);
  TestClient busy(address);
  idle.send("x\n");
  busy.send("y\nwait 1000\n");
  EXPECT_EQ(idle.read_until("\n"), "x\n");
  EXPECT_EQ(busy.read_until("\n"), "y\n");
  server->stop();
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_THROW(TestClient{address}, std::runtime_error);
  clock.advance(1000ms);
  EXPECT_EQ(busy.read_to_end(), "woken\n");
  running->stop();
  EXPECT_EQ(server->stats().open, 0u);
}

TEST_F(ServerTest, StoppingDoesNotWaitForEver) {
  const auto address = start();
  TestClient client(address);
  client.send("x\nhalf");
  EXPECT_EQ(client.read_until("\n"), "x\n");
  server->stop();
  wait_until([&] {
    clock.advance(options.drain_timeout);
    return server->stats().open == 0;
  });
  running->stop();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(ServerTest, StoppingBeforeRunningReturnsAtOnce) {
  Server never(options, clock);
  ASSERT_TRUE(never.listen("127.0.0.1:0", door).ok());
  never.stop();
  never.run();
  EXPECT_EQ(never.stats().accepted, 0u);
}

TEST_F(ServerTest, WorkIsPostedToEveryLoop) {
  start();
  std::mutex mutex;
  std::set<unsigned> seen;
  server->post_to_loops([&](LoopContext& loop) {
    const std::lock_guard lock(mutex);
    seen.insert(loop.index());
  });
  wait_until([&] {
    const std::lock_guard lock(mutex);
    return seen == std::set<unsigned>{0, 1};
  });
}

TEST_F(ServerTest, ManyClientsAtOnce) {
  const auto address = start();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        TestClient client(address);
        const auto text = std::to_string(i) + "/" + std::to_string(round) + "\n";
        client.send(text);
        if (client.read_until("\n") != text) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  wait_until([&] { return server->stats().open == 0; });
  EXPECT_EQ(server->stats().accepted, 160u);
}

}  // namespace
}  // namespace weir::front
