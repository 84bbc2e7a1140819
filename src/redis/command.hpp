// SPDX-License-Identifier: Apache-2.0
// Builds one command after the other into an exchange, in memory that is reused.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redis/exchange.hpp"
#include "redis/scripts.hpp"
#include "wire/resp_reply.hpp"

namespace weir::redis {

class CommandBuilder {
 public:
  void add(std::string_view argument) {
    text_ += argument;
    ends_.push_back(static_cast<std::uint32_t>(text_.size()));
  }

  void add(std::integral auto number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    add(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }

  void add_all(const auto&... arguments) { (add(arguments), ...); }

  /// EVALSHA of a script with `keys` keys, which follow.
  void begin_script(const Script& script, std::size_t keys) {
    add_all(std::string_view("EVALSHA"), script.sha1, keys);
  }

  /// Appends the command of the arguments added so far.
  void finish(Exchange& exchange) {
    arguments_.clear();
    std::uint32_t start = 0;
    for (const std::uint32_t end : ends_) {
      arguments_.push_back(std::string_view(text_).substr(start, end - start));
      start = end;
    }
    wire::resp::append_command(exchange.bytes, arguments_);
    exchange.ends.push_back(static_cast<std::uint32_t>(exchange.bytes.size()));
    text_.clear();
    ends_.clear();
  }

 private:
  std::string text_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::string_view> arguments_;
};

}  // namespace weir::redis
