// SPDX-License-Identifier: Apache-2.0
// One call of a command that decides nothing, and the functions that answer them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <weir/clock.hpp>

#include "front/resp/client.hpp"
#include "wire/resp.hpp"

namespace weir::front::resp {

/// Clients choose what they may use by it: the version of Redis whose commands weir's are like.
inline constexpr std::string_view redis_version = "7.0.0";

struct Call {
  Time now;
  std::span<const std::string_view> args;  ///< the name first; their number is right
  Client& client;
  std::string& output;

  [[nodiscard]] wire::resp::Writer reply() const { return {output, client.resp3}; }
};

// Who the client is: client.cpp.
void hello(Call& call);
void auth(Call& call);
void quit(Call& call);
void reset(Call& call);
void client(Call& call);
void unknown_subcommand(Call& call);

}  // namespace weir::front::resp
