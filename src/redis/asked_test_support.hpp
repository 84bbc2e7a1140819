// SPDX-License-Identifier: Apache-2.0
// For tests: exchanges that note what becomes of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "redis/exchange.hpp"

namespace weir::redis {

/// A reply as `+OK`, `7`, `"text"`, `null`, `-ERR text`, or `[` its elements `]`.
inline std::string shown(const wire::resp::Reply& reply, std::size_t at = 0) {
  using Type = wire::resp::Node::Type;
  const auto& node = reply[at];
  switch (node.type) {
    case Type::simple: return '+' + std::string(node.text);
    case Type::error: return '-' + std::string(node.text);
    case Type::integer: return std::to_string(node.integer);
    case Type::bulk: return '"' + std::string(node.text) + '"';
    case Type::null: return "null";
    case Type::array: break;
  }
  std::string text = "[";
  std::size_t element = at + 1;
  for (std::size_t i = 0; i < node.size; ++i) {
    text += (i > 0 ? " " : "") + shown(reply, element);
    element = reply[element].end;
  }
  return text + ']';
}

struct Asked : Exchange {
  std::vector<std::string> replies;
  std::optional<End> end;
  std::function<void()> then;  // called at the end

  using Words = std::vector<std::string_view>;
  explicit Asked(const std::vector<Words>& commands, Time until = Time::max()) {
    deadline = until;
    for (const auto& words : commands) {
      wire::resp::append_command(bytes, words);
      ends.push_back(static_cast<std::uint32_t>(bytes.size()));
    }
    replies.resize(commands.size());
    on_reply = [](Exchange& exchange, std::size_t command,
                  const wire::resp::Reply& reply) noexcept {
      static_cast<Asked&>(exchange).replies[command] = shown(reply);
    };
    on_end = [](Exchange& exchange, End how) noexcept {
      auto& self = static_cast<Asked&>(exchange);
      self.end = how;
      if (self.then) self.then();
    };
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  [[nodiscard]] const std::string& reply() const { return replies.front(); }
};

}  // namespace weir::redis
