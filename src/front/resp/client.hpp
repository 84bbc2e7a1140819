// SPDX-License-Identifier: Apache-2.0
// What a Redis client says to set itself up and to look around: every command that decides nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <weir/clock.hpp>

#include "wire/resp.hpp"

namespace weir::front::resp {

/// A client as its connection knows it.
struct Client {
  std::uint64_t id = 0;
  std::string_view password;   ///< asked for before anything else; empty: none is
  bool authenticated = false;  ///< only looked at where there is a password
  bool resp3 = false;
  bool closing = false;  ///< after the reply
  std::string name;

  [[nodiscard]] bool may_ask() const noexcept { return authenticated || password.empty(); }
};

/// Whether a command is the beginning of an HTTP request: a browser that was led here would have
/// its body taken for commands. The connection is closed without an answer.
[[nodiscard]] bool is_http(std::string_view command) noexcept;

/// Answers one command, with the texts that Redis uses; `arguments` begin with its name. Of the
/// commands that decide it only knows how to describe them.
void answer(Time now, std::span<const std::string_view> arguments, Client& client,
            std::string& output);

/// Redis' text where a command has too few or too many arguments.
void wrong_count(std::string_view command, wire::resp::Writer& reply);

/// Case is ignored in the names of commands and options. `lower` is in lower case.
[[nodiscard]] bool is_named(std::string_view name, std::string_view lower) noexcept;

}  // namespace weir::front::resp
