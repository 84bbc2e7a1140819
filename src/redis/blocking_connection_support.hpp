// SPDX-License-Identifier: Apache-2.0
// For tests: the smallest client that can ask a redis-server.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "redis/exchange.hpp"

namespace weir::redis {

/// A connection that waits for its replies; all scripts are loaded.
class BlockingConnection {
 public:
  explicit BlockingConnection(const std::string& socket_path);
  ~BlockingConnection();
  BlockingConnection(const BlockingConnection&) = delete;
  BlockingConnection& operator=(const BlockingConnection&) = delete;

  /// The reply to one command, in words: `OK`, `7`, `nil`, `ERR ...`; arrays in brackets.
  std::string ask(std::initializer_list<std::string_view> arguments);

  /// The same, where it is a number.
  std::int64_t number(std::initializer_list<std::string_view> arguments);

  /// Sends an exchange and gives it its replies, and its end.
  void run(Exchange& exchange);

 private:
  void write(std::string_view bytes);
  const wire::resp::Reply& read();

  int socket_ = -1;
  std::string input_;
  std::size_t parsed_ = 0;
  wire::resp::Reply reply_;
};

}  // namespace weir::redis
