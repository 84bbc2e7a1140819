// SPDX-License-Identifier: Apache-2.0
// A request as the rules see it, whichever door it came through. Views only: the door owns the
// bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rules/address.hpp"

namespace weir::rules {

struct Header {
  std::string_view name;  ///< in any case
  std::string_view value;
};

/// What the caller names itself: descriptors, JSON `entries`.
struct Entry {
  std::string_view name;
  std::string_view value;
};

struct Request {
  std::string_view method;
  std::string_view host;    ///< as sent, with or without a port
  std::string_view target;  ///< the path as sent, with its query
  std::span<const Header> headers;
  std::span<const Entry> entries;

  /// The client's address itself, where the caller knows it ...
  std::optional<Address> client;
  /// ... else the address of the socket, from which and from the headers the client's is derived.
  /// Neither: the peer has no address (a unix socket).
  std::optional<Address> peer;

  std::optional<std::uint64_t> cost;  ///< replaces the rules' costs
};

}  // namespace weir::rules
