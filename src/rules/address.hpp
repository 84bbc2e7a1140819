// SPDX-License-Identifier: Apache-2.0
// Internet addresses: parsed, unmapped, compared with networks, cut to a prefix.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::rules {

/// An IPv4 or IPv6 address. `::ffff:a.b.c.d` and `64:ff9b::a.b.c.d` are the IPv4 address.
struct Address {
  std::array<std::uint8_t, 16> bytes{};  ///< network order; an IPv4 address has the first 4
  bool v6 = false;

  friend bool operator==(const Address&, const Address&) = default;

  /// Reads an address alone, or with a port (`1.2.3.4:80`, `[::1]:80`) or a zone (`fe80::1%eth0`),
  /// which are dropped. Nothing where it is no address or the port is beyond 65535.
  [[nodiscard]] static std::optional<Address> parse(std::string_view text) noexcept;

  /// The IPv4 address where this is a mapped one, as sockets that serve both families name them.
  [[nodiscard]] Address unmapped() const noexcept;

  /// The network of this address: an IPv6 address keeps its first `prefix_bits`, an IPv4 one is
  /// whole.
  [[nodiscard]] Address cut_to(unsigned prefix_bits) const noexcept;

  /// The bytes that tell this address from others of its family: 4 or 16.
  [[nodiscard]] std::string_view view() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), v6 ? std::size_t{16} : std::size_t{4}};
  }

  [[nodiscard]] std::string to_string() const;
};

/// A network in CIDR notation; an address alone is the network of just that address. A network of
/// mapped addresses (`::ffff:10.0.0.0/104`) is the network of the IPv4 addresses (`10.0.0.0/8`).
struct Network {
  Address address;
  unsigned prefix_bits = 0;

  [[nodiscard]] static std::optional<Network> parse(std::string_view text) noexcept;
  [[nodiscard]] bool contains(const Address& other) const noexcept;

  /// The same network, written without the bits behind its prefix.
  [[nodiscard]] Network canonical() const noexcept;
  [[nodiscard]] std::string to_string() const;
};

}  // namespace weir::rules
