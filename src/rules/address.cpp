// SPDX-License-Identifier: Apache-2.0
#include "rules/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace weir::rules {

namespace {

constexpr std::size_t mapped_bits = 96;  // what stands before an IPv4 address inside an IPv6 one

/// `text` by the system's strict parser, which wants it ended by a zero.
bool parse_with(int family, std::string_view text, std::uint8_t* bytes) noexcept {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  if (text.size() >= buffer.size() || text.find('\0') != text.npos) return false;
  std::copy(text.begin(), text.end(), buffer.begin());
  return inet_pton(family, buffer.data(), bytes) == 1;
}

/// An address without port and zone, as it is written: mapped ones stay IPv6.
std::optional<Address> parse_as_written(std::string_view text) noexcept {
  Address address;
  address.v6 = text.find(':') != text.npos;
  if (!parse_with(address.v6 ? AF_INET6 : AF_INET, text, address.bytes.data())) return {};
  return address;
}

bool is_mapped(const Address& address) noexcept {
  constexpr std::array<std::uint8_t, 12> v4_mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  constexpr std::array<std::uint8_t, 12> nat64{0, 0x64, 0xff, 0x9b};
  const auto starts_with = [&address](const std::array<std::uint8_t, 12>& prefix) {
    return std::equal(prefix.begin(), prefix.end(), address.bytes.begin());
  };
  return address.v6 && (starts_with(v4_mapped) || starts_with(nat64));
}

std::optional<unsigned> parse_number(std::string_view text, unsigned most) noexcept {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > most) return {};
  return value;
}

bool is_port_or_nothing(std::string_view text) noexcept {
  return text.empty() || (text[0] == ':' && parse_number(text.substr(1), 65535));
}

/// Drops `%zone`. False where nothing follows the sign.
bool drop_zone(std::string_view& text) noexcept {
  const auto zone = text.find('%');
  if (zone == text.npos) return true;
  const bool named = zone + 1 < text.size() && text.find(':') < zone;
  text = text.substr(0, zone);
  return named;
}

Address masked(const Address& address, unsigned bits) noexcept {
  Address result = address;
  for (std::size_t at = 0; at < result.bytes.size(); ++at) {
    const std::size_t before = std::min<std::size_t>(bits, 8 * at);
    const std::size_t kept = std::min<std::size_t>(bits - before, 8);
    result.bytes[at] &= static_cast<std::uint8_t>(0xff00u >> kept);
  }
  return result;
}

}  // namespace

std::optional<Address> Address::parse(std::string_view text) noexcept {
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == text.npos) return {};
    rest = text.substr(close + 1);
    text = text.substr(1, close - 1);
    if (text.find(':') == text.npos) return {};
  } else if (const auto colon = text.find(':'); colon == text.rfind(':') && colon != text.npos) {
    rest = text.substr(colon);
    text = text.substr(0, colon);
  }
  if (!is_port_or_nothing(rest) || !drop_zone(text)) return {};
  const auto address = parse_as_written(text);
  if (!address) return {};
  return address->unmapped();
}

Address Address::unmapped() const noexcept {
  if (!is_mapped(*this)) return *this;
  Address v4;
  std::copy(bytes.begin() + 12, bytes.end(), v4.bytes.begin());
  return v4;
}

Address Address::cut_to(unsigned prefix_bits) const noexcept {
  return v6 ? masked(*this, prefix_bits) : *this;
}

std::string Address::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  inet_ntop(v6 ? AF_INET6 : AF_INET, bytes.data(), buffer.data(), buffer.size());
  return buffer.data();
}

std::optional<Network> Network::parse(std::string_view text) noexcept {
  const auto slash = text.find('/');
  const auto address = parse_as_written(text.substr(0, slash));
  if (!address) return {};
  const unsigned whole = address->v6 ? 128 : 32;
  const auto bits = slash == text.npos ? whole : parse_number(text.substr(slash + 1), whole);
  if (!bits) return {};
  if (!is_mapped(*address)) return Network{*address, *bits};
  if (*bits < mapped_bits) return {};
  return Network{address->unmapped(), static_cast<unsigned>(*bits - mapped_bits)};
}

bool Network::contains(const Address& other) const noexcept {
  if (other.v6 != address.v6) return false;
  const std::size_t whole_bytes = prefix_bits / 8;
  const auto begin = address.bytes.begin();
  if (!std::equal(begin, begin + static_cast<std::ptrdiff_t>(whole_bytes), other.bytes.begin())) {
    return false;
  }
  const unsigned left = prefix_bits % 8;
  if (left == 0) return true;
  return ((address.bytes[whole_bytes] ^ other.bytes[whole_bytes]) >> (8 - left)) == 0;
}

Network Network::canonical() const noexcept { return {masked(address, prefix_bits), prefix_bits}; }

std::string Network::to_string() const {
  return address.to_string() + "/" + std::to_string(prefix_bits);
}

}  // namespace weir::rules
