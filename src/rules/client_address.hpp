// SPDX-License-Identifier: Apache-2.0
// Whose request this is: the first hop that is not trusted, seen from the right of one header.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/request.hpp"

namespace weir::rules {

/// `clients:` which peers are believed about the client's address, and where they say it.
struct ClientTrust {
  std::vector<Network> proxies;
  bool unix_peers = false;                 ///< peers that have no address, on a unix socket
  std::string header = "x-forwarded-for";  ///< in lower case; `forwarded` is read by RFC 7239
  unsigned ipv6_prefix = 64;               ///< what of an IPv6 address makes the key

  /// Nothing only where the peer has no address and either is not trusted or tells none.
  [[nodiscard]] std::optional<Address> client_of(const Request& request) const noexcept;

  [[nodiscard]] bool trusts(const Address& address) const noexcept;
};

}  // namespace weir::rules
