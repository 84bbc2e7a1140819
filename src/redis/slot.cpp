// SPDX-License-Identifier: Apache-2.0
// CRC-16/XMODEM, as the specification of Redis Cluster says, modulo the number of slots.
#include "redis/slot.hpp"

#include <array>

namespace weir::redis {

namespace {

constexpr std::uint16_t polynomial = 0x1021;

constexpr auto remainders = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned remainder = byte << 8;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder << 1) ^ ((remainder & 0x8000) != 0 ? polynomial : 0U);
    }
    table[byte] = static_cast<std::uint16_t>(remainder);
  }
  return table;
}();

std::string_view hashed_part(std::string_view key) {
  const auto open = key.find('{');
  if (open == key.npos) return key;
  const auto close = key.find('}', open + 1);
  if (close == key.npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

}  // namespace

std::uint16_t slot_of(std::string_view key) noexcept {
  std::uint16_t remainder = 0;
  for (const char c : hashed_part(key)) {
    const auto index = static_cast<unsigned>(remainder >> 8) ^ static_cast<unsigned char>(c);
    remainder = static_cast<std::uint16_t>((remainder << 8) ^ remainders[index]);
  }
  return remainder % slots;
}

}  // namespace weir::redis
