// SPDX-License-Identifier: Apache-2.0
#include "base/key.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <random>

namespace weir {

namespace {

static_assert(std::endian::native == std::endian::little, "keys are hashed as little-endian words");

enum class Kind : std::uint8_t { text = 1, number, key };

std::uint64_t header_of(Kind kind, std::size_t length) noexcept {
  return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(length) << 8;
}

/// The last, partial word, filled up with zeros.
std::uint64_t load_rest(std::string_view rest) noexcept {
  std::uint64_t word = 0;
  rest.copy(reinterpret_cast<char*>(&word), rest.size());
  return word;
}

/// Hands each whole word of `bytes` to `absorb`; returns the rest.
template <typename Absorb>
std::string_view each_word(std::string_view bytes, Absorb absorb) noexcept {
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    absorb(word);
  }
  return bytes;
}

}  // namespace

KeySecret KeySecret::random() {
  std::random_device device;
  const auto word = [&device] {
    return (static_cast<std::uint64_t>(device()) << 32) | static_cast<std::uint64_t>(device());
  };
  return {word(), word()};
}

Key sip_hash_128(const KeySecret& secret, std::string_view bytes) noexcept {
  SipHash hash(secret.k0, secret.k1);
  const auto rest = each_word(bytes, [&](std::uint64_t word) { hash.absorb(word); });
  const auto digest = hash.finish(load_rest(rest) | static_cast<std::uint64_t>(bytes.size()) << 56);
  return {.hi = digest.first, .lo = digest.second};
}

void KeyBuilder::add(std::string_view part) noexcept {
  absorb(header_of(Kind::text, part.size()));
  const auto rest = each_word(part, [&](std::uint64_t word) { absorb(word); });
  if (!rest.empty()) absorb(load_rest(rest));
}

void KeyBuilder::add(std::uint64_t number) noexcept {
  absorb(header_of(Kind::number, sizeof number));
  absorb(number);
}

void KeyBuilder::add(const Key& key) noexcept {
  absorb(header_of(Kind::key, sizeof key));
  absorb(key.hi);
  absorb(key.lo);
}

}  // namespace weir
