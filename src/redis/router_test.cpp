// SPDX-License-Identifier: Apache-2.0
// A client of a cluster, by calling it.
#include "redis/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redis/node_test_support.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using Lines = std::vector<std::string>;
using End = Exchange::End;

const Address a{"a", 1};
const Address b{"b", 1};
const Address c{"c", 1};

class RouterTest : public testing::Test {
 protected:
  RouterTest() {
    options_.topology = Topology::cluster;
    options_.addresses = {{"seed", 1}};
    router_.emplace(options_, stats_, 1);
  }

  /// The first half of the slots is a's, the second b's.
  void map_and_connect() {
    router_->asking_for_map(now_);
    router_->map_arrived({{0, 8191, a}, {8192, 16383, b}});
    for (std::size_t i = 0; i < router_->size(); ++i) connect(router_->node(i), now_);
  }

  Asked& send(std::uint16_t slot, const std::vector<Asked::Words>& commands,
              Duration timeout = 40ms) {
    auto& asked = asked_.emplace_back(commands, now_ + timeout);
    asked.slot = slot;
    router_->send(asked);
    return asked;
  }
  void pass(Duration time) {
    now_ += time;
    router_->tick(now_);
  }

  Node& at(const Address& address) {
    for (std::size_t i = 0; i < router_->size(); ++i) {
      if (router_->node(i).address() == address) return router_->node(i);
    }
    ADD_FAILURE() << "no node " << address.host;
    return router_->node(0);
  }
  Lines written(const Address& address) { return redis::written(at(address), now_); }
  void answer(const Address& address, std::string_view bytes) { feed(at(address), bytes, now_); }

  Time now_{1'000'000s};
  Options options_;
  ClientStats stats_;
  std::deque<Asked> asked_;
  std::optional<Router> router_;
};

TEST_F(RouterTest, ASlotIsAskedOfItsOwner) {
  map_and_connect();
  send(0, {{"GET", "x"}});
  send(8191, {{"GET", "y"}});
  send(8192, {{"GET", "z"}});
  EXPECT_THAT(written(a), ElementsAre("GET x", "GET y"));
  EXPECT_THAT(written(b), ElementsAre("GET z"));
  EXPECT_FALSE(router_->wants_map(now_ + 1h));
}

TEST_F(RouterTest, WhatIsSentBeforeTheMapIsThereWaitsForIt) {
  auto& asked = send(1, {{"GET", "x"}});
  router_->tick(now_);
  EXPECT_FALSE(asked.end.has_value());
  EXPECT_TRUE(router_->wants_map(now_));
  EXPECT_THAT(router_->whom_to_ask(), ElementsAre(Address{"seed", 1}));
  map_and_connect();
  EXPECT_THAT(written(a), ElementsAre("GET x"));
  EXPECT_THAT(router_->whom_to_ask(), ElementsAre(a, b, Address{"seed", 1}));
}

TEST_F(RouterTest, WithoutAMapNothingIsInReach) {
  auto& waiting = send(1, {{"GET", "x"}});
  router_->asking_for_map(now_);
  EXPECT_FALSE(router_->wants_map(now_ + 1h));
  router_->map_failed();
  EXPECT_EQ(waiting.end, End::unavailable);
  auto& refused = send(1, {{"GET", "x"}});
  EXPECT_FALSE(refused.end.has_value());  // never from within `send`
  router_->tick(now_);
  EXPECT_EQ(refused.end, End::unavailable);
  EXPECT_FALSE(router_->wants_map(now_));
  EXPECT_TRUE(router_->wants_map(now_ + 1s));
  EXPECT_LE(router_->next_time(), now_ + 1s);
}

TEST_F(RouterTest, ASlotThatMovedIsAskedOfItsNewOwnerFromThenOn) {
  map_and_connect();
  auto& asked = send(5, {{"INCR", "x"}});
  written(a);
  answer(a, "-MOVED 5 b:1\r\n");
  EXPECT_FALSE(asked.end.has_value());
  EXPECT_THAT(written(b), ElementsAre("INCR x"));
  answer(b, ":1\r\n");
  EXPECT_EQ(asked.reply(), "1");
  EXPECT_EQ(asked.end, End::replied);
  send(5, {{"INCR", "x"}});
  EXPECT_THAT(written(b), ElementsAre("INCR x"));
  EXPECT_THAT(written(a), IsEmpty());
  // The map is asked for, but no more than once in a second.
  EXPECT_FALSE(router_->wants_map(now_ + 999ms));
  EXPECT_TRUE(router_->wants_map(now_ + 1100ms));
  EXPECT_EQ(stats_.redirections, 1U);
}

TEST_F(RouterTest, ANodeThatWasNotKnownIsDialed) {
  map_and_connect();
  auto& asked = send(5, {{"INCR", "x"}}, 10s);
  written(a);
  answer(a, "-MOVED 5 c:1\r\n");
  connect(at(c), now_);
  EXPECT_THAT(written(c), ElementsAre("INCR x"));
  answer(c, ":1\r\n");
  EXPECT_EQ(asked.end, End::replied);
}

TEST_F(RouterTest, AnAddressWithoutAHostIsThatOfTheNodeItself) {
  map_and_connect();
  send(5, {{"INCR", "x"}});
  written(a);
  answer(a, "-MOVED 5 :2\r\n");
  EXPECT_TRUE(at({"a", 2}).wants_dial(now_));
}

TEST_F(RouterTest, AnAskIsForOneCommandOnly) {
  map_and_connect();
  auto& asked = send(5, {{"SET", "x", "1"}, {"INCR", "x"}});
  written(a);
  answer(a, "-ASK 5 b:1\r\n-ASK 5 b:1\r\n");
  EXPECT_THAT(written(b), ElementsAre("ASKING", "SET x 1", "ASKING", "INCR x"));
  answer(b, "+OK\r\n+OK\r\n+OK\r\n:2\r\n");
  EXPECT_EQ(asked.replies, (Lines{"+OK", "2"}));
  EXPECT_EQ(asked.end, End::replied);
  send(5, {{"GET", "x"}});
  EXPECT_THAT(written(a), ElementsAre("GET x"));
}

TEST_F(RouterTest, AnExchangeMayBeAnsweredByTwoNodes) {
  map_and_connect();
  auto& asked = send(5, {{"GET", "x"}, {"GET", "{x}2"}});
  written(a);
  answer(a, "-ASK 5 b:1\r\n$1\r\nv\r\n");
  written(b);
  answer(b, "+OK\r\n$1\r\nw\r\n");
  EXPECT_EQ(asked.replies, (Lines{"\"w\"", "\"v\""}));
  EXPECT_EQ(asked.end, End::replied);
}

TEST_F(RouterTest, WhoIsSentInCirclesGivesUp) {
  map_and_connect();
  auto& asked = send(5, {{"INCR", "x"}});
  for (int i = 0; i < 2; ++i) {
    written(a);
    answer(a, "-MOVED 5 b:1\r\n");
    if (asked.end) break;
    written(b);
    answer(b, "-MOVED 5 a:1\r\n");
  }
  EXPECT_EQ(asked.end, End::unavailable);
  EXPECT_EQ(stats_.redirections, 4U);
}

TEST_F(RouterTest, TryAgainIsTriedTwiceMore) {
  map_and_connect();
  auto& asked = send(5, {{"MGET", "x", "y"}}, 10s);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(written(a), ElementsAre("MGET x y"));
    answer(a, "-TRYAGAIN Multiple keys request during rehashing of slot\r\n");
    EXPECT_THAT(written(a), IsEmpty());
    EXPECT_GE(router_->next_time(), now_ + 5ms);
    EXPECT_LE(router_->next_time(), now_ + 20ms);
    pass(20ms);
  }
  EXPECT_THAT(written(a), ElementsAre("MGET x y"));
  answer(a, "-TRYAGAIN\r\n");
  EXPECT_EQ(asked.end, End::unavailable);
}

TEST_F(RouterTest, WhatWaitsToBeTriedAgainEndsAtItsDeadline) {
  map_and_connect();
  auto& asked = send(5, {{"MGET", "x", "y"}}, 3ms);
  written(a);
  answer(a, "-TRYAGAIN\r\n");
  pass(3ms);
  EXPECT_EQ(asked.end, End::unavailable);
  pass(20ms);
  EXPECT_THAT(written(a), IsEmpty());
}

TEST_F(RouterTest, ARedirectionToANodeOutOfReachChangesNothing) {
  map_and_connect();
  at(b).lost(now_, "reset");
  at(b).dialing();
  at(b).dial_failed(now_, "refused");
  auto& asked = send(5, {{"INCR", "x"}});
  written(a);
  answer(a, "-ASK 5 b:1\r\n");
  EXPECT_EQ(asked.end, End::unavailable);
}

TEST_F(RouterTest, AClusterThatIsDownIsOutOfReach) {
  map_and_connect();
  auto& asked = send(5, {{"INCR", "x"}});
  written(a);
  answer(a, "-CLUSTERDOWN Hash slot not served\r\n");
  EXPECT_EQ(asked.end, End::unavailable);
  EXPECT_TRUE(router_->wants_map(now_ + 2s));
  EXPECT_TRUE(at(a).is_ready());
}

TEST_F(RouterTest, B35_WhenAMasterIsGoneTheMapIsAskedForAnew) {
  map_and_connect();
  at(a).lost(now_, "reset");
  at(a).dialing();
  at(a).dial_failed(now_, "refused");
  auto& asked = send(5, {{"INCR", "x"}});
  pass(1100ms);
  EXPECT_EQ(asked.end, End::unavailable);
  EXPECT_TRUE(router_->wants_map(now_));
  EXPECT_THAT(router_->whom_to_ask(), ElementsAre(b, Address{"seed", 1}));
  router_->asking_for_map(now_);
  router_->map_arrived({{0, 8191, c}, {8192, 16383, b}});
  EXPECT_TRUE(at(a).is_retired());
  send(5, {{"INCR", "x"}});
  connect(at(c), now_);
  EXPECT_THAT(written(c), ElementsAre("INCR x"));
}

TEST_F(RouterTest, TheMapMayCallANodeBack) {
  map_and_connect();
  router_->map_arrived({{0, 16383, b}});
  EXPECT_TRUE(at(a).is_retired());
  at(a).lost(now_, "");
  router_->map_arrived({{0, 16383, a}});
  EXPECT_FALSE(at(a).is_retired());
  EXPECT_TRUE(at(a).wants_dial(now_));
  EXPECT_EQ(router_->size(), 2U);
}

TEST_F(RouterTest, APlaceThatIsFreeIsUsedAgain) {
  map_and_connect();
  router_->map_arrived({{0, 16383, b}});
  at(a).lost(now_, "");
  router_->map_arrived({{0, 8191, c}, {8192, 16383, b}});
  EXPECT_EQ(router_->size(), 2U);
  EXPECT_TRUE(at(c).wants_dial(now_));
}

TEST_F(RouterTest, ASlotOfNobodyIsOutOfReach) {
  map_and_connect();
  router_->map_arrived({{0, 8191, a}});
  auto& asked = send(9000, {{"INCR", "x"}});
  router_->tick(now_);
  EXPECT_EQ(asked.end, End::unavailable);
}

TEST_F(RouterTest, B36_EachNodeHasItsOwnTime) {
  router_->map_arrived({{0, 8191, a}, {8192, 16383, b}});
  for (const auto& [address, offset] : {std::pair(a, 30s), std::pair(b, -30s)}) {
    Node& node = at(address);
    node.dialing();
    node.dialed(now_);
    written(address);
    answer(address, hello_replies);
    written(address);
    answer(address, time_reply(now_ + offset));
  }
  EXPECT_EQ(router_->clock_offset(0), 30s);
  EXPECT_EQ(router_->clock_offset(16383), -30s);
  options_.use_store_time = false;
  EXPECT_EQ(router_->clock_offset(0), 0s);
}

TEST_F(RouterTest, AnExchangeThatTimesOutCountsAgainstTheNodeThatHasIt) {
  map_and_connect();
  for (int i = 0; i < 5; ++i) send(0, {{"GET", "x"}});
  written(a);
  pass(40ms);
  EXPECT_FALSE(at(a).is_in_reach());
  EXPECT_TRUE(at(b).is_in_reach());
}

TEST_F(RouterTest, TheEndLeavesNobodyWaiting) {
  map_and_connect();
  auto& written_one = send(0, {{"GET", "x"}});
  written(a);
  auto& queued = send(9000, {{"GET", "x"}});
  queued.then = [this] { send(0, {{"GET", "y"}}); };
  router_->close();
  EXPECT_EQ(written_one.end, End::unknown);
  EXPECT_EQ(queued.end, End::unavailable);
  EXPECT_EQ(asked_.back().end, End::unavailable);
}

TEST_F(RouterTest, WithoutAClusterEverySlotIsTheOneNodes) {
  options_.topology = Topology::standalone;
  options_.addresses = {a};
  router_.emplace(options_, stats_, 1);
  connect(at(a), now_);
  send(0, {{"GET", "x"}});
  send(16383, {{"GET", "y"}});
  EXPECT_THAT(written(a), ElementsAre("GET x", "GET y"));
  EXPECT_FALSE(router_->wants_map(now_));
}

}  // namespace
}  // namespace weir::redis
