// SPDX-License-Identifier: Apache-2.0
// Whatever a server of a cluster sends: nothing breaks, and every exchange ends exactly once. The
// first byte of an input says where to cut the rest.
#include <algorithm>
#include <array>
#include <deque>
#include <string>

#include "fuzz.hpp"
#include "redis/router.hpp"

using weir::fuzz::require;
using namespace weir::redis;
using namespace std::chrono_literals;

namespace {

struct Asked : Exchange {
  std::size_t replies = 0;
  std::size_t ends_told = 0;
};

void ask(Router& router, Asked& asked, weir::Time now) {
  for (int i = 0; i < 2; ++i) {
    weir::wire::resp::append_command(asked.bytes, std::array<std::string_view, 2>{"INCR", "k"});
    asked.ends.push_back(static_cast<std::uint32_t>(asked.bytes.size()));
  }
  asked.slot = 1;
  asked.deadline = now + 50ms;
  asked.on_reply = [](Exchange& exchange, std::size_t command, const auto& reply) noexcept {
    require(command < exchange.ends.size() && !reply.nodes().empty());
    ++static_cast<Asked&>(exchange).replies;
  };
  asked.on_end = [](Exchange& exchange, Exchange::End end) noexcept {
    auto& self = static_cast<Asked&>(exchange);
    require(++self.ends_told == 1);
    require((end == Exchange::End::replied) == (self.replies == self.ends.size()));
  };
  router.send(asked);
}

/// What the shell does behind each event.
void turn(Router& router, weir::Time now) {
  router.tick(now);
  for (std::size_t i = 0; i < router.size(); ++i) {
    Node& node = router.node(i);
    if (node.wants_close()) node.lost(now, "");
    if (node.wants_dial(now)) {
      node.dialing();
      node.dialed(now);
    }
    if (!node.take_output(now).empty()) node.wrote();
  }
}

void feed(Node& node, std::string_view bytes, weir::Time now) {
  const auto room = node.room();
  const auto count = std::min(bytes.size(), room.size());
  std::copy_n(bytes.begin(), count, room.begin());
  node.arrived(count, now);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto bytes = weir::fuzz::text_of(data + 1, size - 1);
  Options options;
  options.topology = Topology::cluster;
  options.scripts = {"return 1"};
  ClientStats stats;
  std::deque<Asked> asked;
  weir::Time now{1'000'000s};
  Router router(options, stats, 1);
  router.map_arrived({{0, slots - 1, {"h", 1}}});
  turn(router, now);
  feed(router.node(0), "+OK\r\n*1\r\n+master\r\n+e0\r\n", now);
  turn(router, now);
  feed(router.node(0), "*2\r\n$1\r\n1\r\n$1\r\n1\r\n", now);
  while (!bytes.empty()) {
    if (asked.size() < 64) ask(router, asked.emplace_back(), now);
    turn(router, now);
    const auto piece = bytes.substr(0, std::size_t{data[0]} + 1);
    Node& node = router.node(asked.size() % router.size());
    if (node.is_connected()) feed(node, piece, now);
    bytes.remove_prefix(piece.size());
    now += 7ms;
  }
  router.close();
  for (const auto& each : asked) require(each.ends_told == 1);
  require(stats.open_connections == 0);
  return 0;
}
