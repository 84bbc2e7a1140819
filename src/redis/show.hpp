// SPDX-License-Identifier: Apache-2.0
// Addresses as people read them.
#pragma once

#include <string>

#include "redis/options.hpp"

namespace weir::redis {

/// `host:port`, `[::1]:port`, or a socket's path.
[[nodiscard]] inline std::string shown(const Address& address) {
  if (address.port == 0) return address.host;
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? '[' + address.host + ']' : address.host;
  return host + ':' + std::to_string(address.port);
}

}  // namespace weir::redis
