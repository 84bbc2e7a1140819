// SPDX-License-Identifier: Apache-2.0
// For tests: a server without a socket, which takes what a node writes and answers by hand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "redis/asked_test_support.hpp"
#include "redis/node.hpp"
#include "wire/resp.hpp"

namespace weir::redis {

/// Cuts RESP into its commands: `SET k 1`.
inline std::vector<std::string> commands_in(std::string_view bytes) {
  std::vector<std::string> commands;
  wire::resp::Arguments arguments;
  while (!bytes.empty()) {
    const auto parsed = wire::resp::parse_request(bytes, arguments);
    EXPECT_EQ(parsed.status, wire::resp::Parsed::Status::request);
    if (parsed.status != wire::resp::Parsed::Status::request) break;
    std::string line;
    for (const auto word : arguments.all()) line.append(line.empty() ? "" : " ").append(word);
    commands.push_back(line);
    bytes.remove_prefix(parsed.bytes);
  }
  return commands;
}

/// Has the node read `bytes`, as many at a time as there is room for.
inline void feed(Node& node, std::string_view bytes, Time now) {
  while (!bytes.empty() && !node.wants_close()) {
    const auto room = node.room();
    const auto count = std::min(room.size(), bytes.size());
    std::copy_n(bytes.begin(), count, room.begin());
    bytes.remove_prefix(count);
    node.arrived(count, now);
  }
}

/// What the node writes when it is asked.
inline std::vector<std::string> written(Node& node, Time now) {
  const std::string bytes(node.take_output(now));
  if (!bytes.empty()) node.wrote();
  return commands_in(bytes);
}

inline std::string time_reply(Time time) {
  const auto micros =
      std::chrono::floor<std::chrono::microseconds>(time).time_since_epoch().count();
  std::string out;
  wire::resp::Writer writer(out, false);
  writer.array(2);
  writer.bulk(std::to_string(micros / 1'000'000));
  writer.bulk(std::to_string(micros % 1'000'000));
  return out;
}

inline const std::string hello_replies = "+OK\r\n*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n";

/// Dials, shakes hands and tells the time, for options without login and scripts.
inline void connect(Node& node, Time now, const std::string& replies = hello_replies) {
  ASSERT_TRUE(node.wants_dial(now));
  node.dialing();
  node.dialed(now);
  ASSERT_FALSE(written(node, now).empty());
  feed(node, replies, now);
  ASSERT_EQ(written(node, now), std::vector<std::string>{"TIME"});
  feed(node, time_reply(now), now);
  ASSERT_TRUE(node.is_ready());
}

}  // namespace weir::redis
