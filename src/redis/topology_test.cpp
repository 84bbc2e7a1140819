// SPDX-License-Identifier: Apache-2.0
// The client, and real servers that change their places: sentinels and a cluster; and TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "redis/client_fixture_test_support.hpp"
#include "redis/slot.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;
using End = Exchange::End;
using testing::Contains;
using testing::HasSubstr;

/// A master, a replica and three sentinels.
class SentinelClientTest : public ClientFixture {
 protected:
  SentinelClientTest() {
    const auto master_port = std::to_string(master_.port());
    for (auto& sentinel : sentinels_) {
      sentinel = std::make_unique<Sentinel>();
      std::ofstream(sentinel->folder.path() + "/sentinel.conf")
          << "port " << sentinel->port << "\nbind 127.0.0.1\ndir " << sentinel->folder.path()
          << "\nsentinel monitor my-master 127.0.0.1 " << master_port << " 2\n"
          << "sentinel down-after-milliseconds my-master 500\n"
          << "sentinel failover-timeout my-master 3000\n";
      sentinel->process.emplace(
          std::vector<std::string>{"redis-server", sentinel->folder.path() + "/sentinel.conf",
                                   "--sentinel"},
          sentinel->folder.path() + "/log");
    }
  }

  struct Sentinel {
    TestFolder folder;
    std::uint16_t port = free_port();
    std::optional<TestProcess> process;
  };

  [[nodiscard]] std::string url() const {
    std::string text = "redis+sentinel://";
    for (const auto& sentinel : sentinels_) {
      text += "127.0.0.1:" + std::to_string(sentinel->port) + ',';
    }
    text.back() = '/';
    return text + "my-master";
  }

  /// Every sentinel knows the replica and the two others: a failover can succeed.
  bool are_ready() {
    return soon([&] {
      return std::ranges::all_of(sentinels_, [&](const auto& sentinel) {
        const auto info = replica_.ask_at(sentinel->port, {"SENTINEL", "MASTER", "my-master"});
        return info.find("num-slaves\n1") != info.npos &&
               info.find("num-other-sentinels\n2") != info.npos;
      });
    });
  }

  TestServer master_;
  TestServer replica_{{"--replicaof", "127.0.0.1 " + std::to_string(master_.port())}};
  std::array<std::unique_ptr<Sentinel>, 3> sentinels_;
};

TEST_F(SentinelClientTest, FollowsTheMasterFromServerToServer) {
  ASSERT_TRUE(are_ready());
  connect(url());
  ASSERT_TRUE(run_until_ended(send({{"SET", "k", "1"}})));
  EXPECT_EQ(asked_.back().reply(), "+OK");
  EXPECT_EQ(master_.ask({"GET", "k"}), "1");

  // It holds its connections open and comes back believing that it is the master.
  master_.pause();
  ASSERT_TRUE(soon([&] { return replica_.ask({"ROLE"}).starts_with("master"); }));
  ASSERT_TRUE(answers_in_the_end());
  ASSERT_TRUE(run_until_ended(send({{"SET", "k", "2"}})));
  EXPECT_EQ(asked_.back().reply(), "+OK");
  EXPECT_EQ(replica_.ask({"GET", "k"}), "2");
  master_.go_on();
}

TEST_F(SentinelClientTest, B35_LeavesAMasterThatWasReplacedWhileItSeemedWell) {
  ASSERT_TRUE(are_ready());
  connect(url());
  ASSERT_TRUE(answers_in_the_end());
  ASSERT_EQ(replica_.ask_at(sentinels_[0]->port, {"SENTINEL", "FAILOVER", "my-master"}), "OK");
  ASSERT_TRUE(run_until([&] {
    return std::ranges::any_of(told_, [&](const std::string& text) {
      return text == "127.0.0.1:" + std::to_string(replica_.port()) + ": connected";
    });
  }));
  ASSERT_TRUE(run_until_ended(send({{"SET", "k", "3"}})));
  EXPECT_EQ(replica_.ask({"GET", "k"}), "3");
}

TEST_F(SentinelClientTest, ASentinelThatIsGoneIsPassedOver) {
  ASSERT_TRUE(are_ready());
  sentinels_[0]->process.reset();
  connect(url());
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  EXPECT_EQ(asked_.back().reply(), "+PONG");
}

TEST_F(SentinelClientTest, AMasterThatNobodyKnowsIsOutOfReach) {
  connect(url() + "x");
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  EXPECT_EQ(asked_.back().end, End::unavailable);
  EXPECT_THAT(told_,
              testing::ElementsAre("my-masterx: is out of reach: no sentinel knows the master"));
}

/// Three masters without replicas.
class ClusterClientTest : public ClientFixture {
 protected:
  explicit ClusterClientTest(std::size_t size = 3, const std::string& replicas = "0")
      : nodes_(size) {
    std::vector<std::string> words{"redis-cli", "--cluster-yes", "--cluster-replicas",
                                   replicas,    "--cluster",     "create"};
    for (auto& node : nodes_) {
      node = std::make_unique<TestServer>(
          std::vector<std::string>{"--cluster-enabled", "yes", "--cluster-port",
                                   std::to_string(free_port()), "--cluster-node-timeout", "2000"});
      words.push_back("127.0.0.1:" + std::to_string(node->port()));
    }
    EXPECT_EQ(TestProcess::run(words, nodes_[0]->folder() + "/create"), 0);
  }

  bool is_ready() {
    return soon([&] {
      return std::ranges::all_of(nodes_, [](const auto& node) {
        return node->ask({"CLUSTER", "INFO"}).find("cluster_state:ok") != std::string::npos;
      });
    });
  }

  [[nodiscard]] std::string url() const {
    return "redis+cluster://127.0.0.1:" + std::to_string(nodes_[0]->port());
  }

  Asked& send_key(const std::string& key, const std::vector<Asked::Words>& commands,
                  Duration timeout = 10s) {
    auto& asked = make(commands, timeout);
    asked.slot = slot_of(key);
    client_->send(asked);
    return asked;
  }

  std::string id(std::size_t node) { return nodes_[node]->ask({"CLUSTER", "MYID"}); }

  std::vector<std::unique_ptr<TestServer>> nodes_;
};

TEST_F(ClusterClientTest, B34_EveryKeyIsAskedWhereItStands) {
  ASSERT_TRUE(is_ready());
  connect(url());
  std::vector<std::string> keys;
  for (int i = 0; i < 200; ++i)
    keys.push_back("{" + std::to_string(i) + "}}{x{}" + std::to_string(i));
  for (const auto& key : keys) send_key(key, {{"INCR", key}});
  ASSERT_TRUE(all_end());
  for (const auto& asked : asked_) EXPECT_EQ(asked.reply(), "1");
  EXPECT_EQ(stats_.redirections, 0U);
  EXPECT_EQ(stats_.open_connections, 3U);
}

TEST_F(ClusterClientTest, ASlotThatMovesIsFollowed) {
  ASSERT_TRUE(is_ready());
  connect(url());
  const std::string key = "foo";  // slot 12182, of the third node
  const std::string other = "{foo}2";
  ASSERT_TRUE(run_until_ended(send_key(key, {{"INCR", key}})));
  const auto from = id(2);
  const auto to = id(0);
  ASSERT_EQ(nodes_[0]->ask({"CLUSTER", "SETSLOT", "12182", "IMPORTING", from}), "OK");
  ASSERT_EQ(nodes_[2]->ask({"CLUSTER", "SETSLOT", "12182", "MIGRATING", to}), "OK");

  // A key that is there is served there, and one that is not where the slot is going to.
  ASSERT_TRUE(run_until_ended(send_key(key, {{"INCR", key}})));
  EXPECT_EQ(asked_.back().reply(), "2");
  ASSERT_TRUE(run_until_ended(send_key(other, {{"SET", other, "5"}, {"INCR", other}})));
  EXPECT_EQ(asked_.back().replies, (std::vector<std::string>{"+OK", "6"}));
  EXPECT_EQ(stats_.redirections, 2U);

  // Some keys here and some there: nobody can answer.
  ASSERT_TRUE(run_until_ended(send_key(key, {{"MGET", key, other}})));
  EXPECT_EQ(asked_.back().end, End::unavailable);

  ASSERT_EQ(
      nodes_[2]->ask({"MIGRATE", "127.0.0.1", std::to_string(nodes_[0]->port()), key, "0", "5000"}),
      "OK");
  for (const auto& node : nodes_) {
    ASSERT_EQ(node->ask({"CLUSTER", "SETSLOT", "12182", "NODE", to}), "OK");
  }
  ASSERT_TRUE(run_until_ended(send_key(key, {{"INCR", key}})));
  EXPECT_EQ(asked_.back().reply(), "3");
  const auto redirections = stats_.redirections.load();
  ASSERT_TRUE(run_until_ended(send_key(key, {{"MGET", key, other}})));
  EXPECT_EQ(asked_.back().reply(), "[\"3\" \"6\"]");
  EXPECT_EQ(stats_.redirections, redirections);
}

TEST_F(ClusterClientTest, B34_NothingIsLostOrCountedTwiceWhileSlotsMove) {
  ASSERT_TRUE(is_ready());
  connect(url());
  std::vector<std::string> keys;
  for (int i = 0; i < 500; ++i) keys.push_back("key" + std::to_string(i));
  TestProcess reshard({"redis-cli", "--cluster", "reshard", url().substr(16), "--cluster-from",
                       id(1), "--cluster-to", id(0), "--cluster-slots", "300", "--cluster-yes"},
                      nodes_[0]->folder() + "/reshard");
  int rounds = 0;
  while (!reshard.has_ended()) {
    for (const auto& key : keys) send_key(key, {{"INCR", key}});
    ASSERT_TRUE(all_end());
    ++rounds;
    for (const auto& asked : asked_) ASSERT_EQ(asked.reply(), std::to_string(rounds));
    asked_.clear();
  }
  EXPECT_GT(stats_.redirections, 0U);
}

/// Three masters, each with a replica.
class ReplicatedClusterClientTest : public ClusterClientTest {
 protected:
  ReplicatedClusterClientTest() : ClusterClientTest(6, "1") {}

  /// A replica that has nothing yet is not promoted.
  bool are_replicas_ready() {
    return soon([&] {
      return std::all_of(nodes_.begin() + 3, nodes_.end(), [](const auto& node) {
        return node->ask({"INFO", "replication"}).find("master_link_status:up") !=
               std::string::npos;
      });
    });
  }
};

TEST_F(ReplicatedClusterClientTest, B35_AReplicaThatIsPromotedIsFound) {
  ASSERT_TRUE(is_ready());
  ASSERT_TRUE(are_replicas_ready());
  connect(url());
  ASSERT_TRUE(run_until_ended(send_key("foo", {{"PING"}})));
  nodes_[2]->kill();
  const auto has_answer = [&] { return !asked_.empty() && asked_.back().end == End::replied; };
  send_key("foo", {{"INCR", "foo"}}, 50ms);
  ASSERT_TRUE(run_until([&] {
    if (asked_.back().end && !has_answer()) send_key("foo", {{"INCR", "foo"}}, 50ms);
    return has_answer();
  }));
  EXPECT_EQ(asked_.back().reply(), "1");
}

TEST_F(ClusterClientTest, ANodeThatIsGoneTakesOnlyItsSlotsAway) {
  ASSERT_TRUE(is_ready());
  connect(url());
  ASSERT_TRUE(run_until_ended(send_key("foo", {{"INCR", "foo"}})));
  ASSERT_TRUE(run_until_ended(send_key("bar", {{"INCR", "bar"}})));
  nodes_[2]->kill();
  ASSERT_TRUE(run_until([&] { return stats_.connects_failed >= 1; }));
  ASSERT_TRUE(run_until_ended(send_key("foo", {{"INCR", "foo"}})));
  EXPECT_NE(asked_.back().end, End::replied);
  ASSERT_TRUE(run_until_ended(send_key("bar", {{"INCR", "bar"}})));
  EXPECT_EQ(asked_.back().reply(), "2");
}

TEST_F(ClientFixture, AClusterThatIsNowhereIsOutOfReach) {
  connect("redis+cluster://127.0.0.1:" + std::to_string(free_port()));
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  EXPECT_EQ(asked_.back().end, End::unavailable);
}

/// A server that speaks TLS alone, and wants a certificate.
class TlsClientTest : public ClientFixture {
 protected:
  TlsClientTest() {
    make({"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
          "-subj", "/CN=weir test authority", "-days", "2"});
    make({"req", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "request.pem",
          "-subj", "/CN=redis"});
    std::ofstream(path("names")) << "subjectAltName=DNS:redis.internal,IP:127.0.0.1\n";
    make({"x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key",
          "-CAcreateserial", "-out", "cert.pem", "-days", "2", "-extfile", "names"});
    server_.emplace(std::vector<std::string>{
        "--port", "0", "--tls-port", std::to_string(port_), "--tls-cert-file", path("cert.pem"),
        "--tls-key-file", path("key.pem"), "--tls-ca-cert-file", path("ca.pem")});
  }

  void make(std::vector<std::string> words) {
    for (auto& word : words) {
      if (word.find('.') != word.npos || word == "names") word = path(word);
    }
    words.insert(words.begin(), "openssl");
    ASSERT_EQ(TestProcess::run(words, path("log")), 0);
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return folder_.path() + '/' + name;
  }
  [[nodiscard]] std::string url(const std::string& host, const std::string& settings = "") const {
    return "rediss://" + host + ':' + std::to_string(port_) + "?ca=" + path("ca.pem") +
           "&cert=" + path("cert.pem") + "&key=" + path("key.pem") + settings;
  }

  TestFolder folder_;
  std::uint16_t port_ = free_port();
  std::optional<TestServer> server_;
};

TEST_F(TlsClientTest, AServerWithTheRightNameIsUsed) {
  connect(url("127.0.0.1"));
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  EXPECT_EQ(asked_.back().reply(), "+PONG");
  connect(url("localhost", "&server_name=redis.internal"));
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  EXPECT_EQ(asked_.back().reply(), "+PONG");
}

TEST_F(TlsClientTest, AServerWithAnotherNameIsNot) {
  connect(url("localhost"));
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  EXPECT_EQ(asked_.back().end, End::unavailable);
  EXPECT_THAT(told_, Contains(HasSubstr("certificate verify failed")));
}

TEST_F(TlsClientTest, AServerOfAnUnknownAuthorityIsNot) {
  connect("rediss://127.0.0.1:" + std::to_string(port_));
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  EXPECT_EQ(asked_.back().end, End::unavailable);
  EXPECT_THAT(told_, Contains(HasSubstr("certificate verify failed")));
}

TEST_F(TlsClientTest, AFileThatIsNotThereIsTold) {
  connect("rediss://127.0.0.1:" + std::to_string(port_) + "?ca=" + path("none.pem"));
  ASSERT_TRUE(run_until_ended(send({{"PING"}})));
  EXPECT_EQ(asked_.back().end, End::unavailable);
  EXPECT_THAT(told_, Contains(HasSubstr("TLS: ")));
}

}  // namespace
}  // namespace weir::redis
