// SPDX-License-Identifier: Apache-2.0
#include "base/key.hpp"

#include <bit>
#include <cassert>
#include <cstring>
#include <random>

namespace weir {

namespace {

std::uint64_t load_u64(const char* bytes) noexcept {
  static_assert(std::endian::native == std::endian::little,
                "keys are hashed as little-endian words");
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// The last, partial word: the remaining bytes, and the length of the whole in the top byte.
std::uint64_t load_tail(const char* bytes, std::size_t count, std::size_t length) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, count);
  return word | (static_cast<std::uint64_t>(length) << 56);
}

/// SipHash's state and its one mixing round (J.-P. Aumasson and D. J. Bernstein, 2012).
struct Sip {
  std::uint64_t v0, v1, v2, v3;

  void round() noexcept {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }

  void absorb(std::uint64_t word) noexcept {
    v3 ^= word;
    round();
    v0 ^= word;
  }

  std::uint64_t squeeze() noexcept {
    round();
    round();
    round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

}  // namespace

KeySecret KeySecret::random() {
  std::random_device device;
  const auto word = [&device] {
    return (static_cast<std::uint64_t>(device()) << 32) | static_cast<std::uint64_t>(device());
  };
  return {word(), word()};
}

Key sip_hash_128(const KeySecret& secret, std::string_view bytes) noexcept {
  Sip sip{secret.k0 ^ 0x736f6d6570736575u, secret.k1 ^ 0x646f72616e646f6du ^ 0xee,
          secret.k0 ^ 0x6c7967656e657261u, secret.k1 ^ 0x7465646279746573u};
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) sip.absorb(load_u64(at));
  sip.absorb(load_tail(at, left, bytes.size()));
  sip.v2 ^= 0xee;
  const std::uint64_t first = sip.squeeze();
  sip.v1 ^= 0xdd;
  return {first, sip.squeeze()};
}

void KeyBuilder::append(char kind, std::string_view bytes) noexcept {
  const std::size_t needed = bytes.size() + 2;
  if (size_ + needed > most_bytes) {
    const Key folded = key();
    size_ = 0;
    append('f', {reinterpret_cast<const char*>(&folded), sizeof folded});
  }
  assert(bytes.size() <= longest_part && size_ + needed <= most_bytes);
  bytes_[size_] = kind;
  bytes_[size_ + 1] = static_cast<char>(bytes.size());
  bytes.copy(bytes_.data() + size_ + 2, bytes.size());
  size_ += needed;
}

void KeyBuilder::add(std::string_view part) noexcept {
  if (part.size() <= longest_part) return append('t', part);
  const Key hashed = sip_hash_128(secret_, part);
  append('h', {reinterpret_cast<const char*>(&hashed), sizeof hashed});
}

void KeyBuilder::add(std::uint64_t number) noexcept {
  append('n', {reinterpret_cast<const char*>(&number), sizeof number});
}

void KeyBuilder::add(const Key& key) noexcept {
  append('k', {reinterpret_cast<const char*>(&key), sizeof key});
}

}  // namespace weir
