// SPDX-License-Identifier: Apache-2.0
// What a cluster's node answers to a command that another one is to be asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "redis/options.hpp"

namespace weir::redis {

struct Redirection {
  enum class Kind : std::uint8_t {
    moved,      ///< `MOVED slot host:port`: the slot is there, for this command and all to come
    ask,        ///< `ASK slot host:port`: this command only, behind an ASKING
    try_again,  ///< `TRYAGAIN`: some keys are here and some there; the same node, a little later
  };
  Kind kind = Kind::moved;
  std::uint16_t slot = 0;
  Address address;  ///< an empty host: that of the node which says so
};

/// Reads an error reply. Nothing where it is no redirection.
[[nodiscard]] std::optional<Redirection> read_redirection(std::string_view error);

/// Reads `host:port`; IPv6 addresses have colons too, and no brackets.
[[nodiscard]] std::optional<Address> read_host_and_port(std::string_view text);

}  // namespace weir::redis
