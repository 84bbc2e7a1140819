// SPDX-License-Identifier: Apache-2.0
// A counter's key: a 128-bit keyed hash of its length-prefixed parts. The text is never stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/sip_hash.hpp"

namespace weir {

/// The identity of one counter. 128 bits of a keyed pseudo-random function: an attacker who chooses
/// the texts cannot choose the keys.
struct Key {
  std::uint64_t hi = 0;
  std::uint64_t lo = 0;
  friend constexpr bool operator==(const Key&, const Key&) = default;
};

/// The secret that the hash is keyed with, one for each process (or state file).
struct KeySecret {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;
  friend constexpr bool operator==(const KeySecret&, const KeySecret&) = default;

  /// A fresh secret from the system's random source.
  [[nodiscard]] static KeySecret random();
};

/// SipHash-1-3 with 128 bits of output.
[[nodiscard]] Key sip_hash_128(const KeySecret& secret, std::string_view bytes) noexcept;

/// Hashes the parts of a key, each behind a word with its kind and length, so that no two different
/// lists of parts are the same bytes. Parts of any number and length: nothing is kept or cut.
///
///     key = SipHash of   kind 1 | length 7 | bytes | zeros up to a whole word | kind 1 | ... bytes
class KeyBuilder {
 public:
  explicit KeyBuilder(const KeySecret& secret) noexcept
      : secret_(secret), hash_(secret.k0, secret.k1) {}

  void clear() noexcept {
    hash_ = SipHash(secret_.k0, secret_.k1);
    size_ = 0;
    rest_ = 0;
  }

  void add(std::string_view part) noexcept;

  /// Adds a number as a part.
  void add(std::uint64_t number) noexcept;

  /// Adds an already hashed key as a part.
  void add(const Key& key) noexcept;

  /// The key of the parts added so far.
  [[nodiscard]] Key key() const noexcept {
    const auto digest = hash_.finish(rest_ | size_ << 56);
    return {.hi = digest.first, .lo = digest.second};
  }

 private:
  enum class Kind : std::uint8_t { text = 1, number, key };

  void begin(Kind kind, std::size_t size) noexcept;

  KeySecret secret_;
  SipHash hash_;
  std::uint64_t size_ = 0;  // of all bytes so far
  std::uint64_t rest_ = 0;  // those of the last word, where it is a partial one; not yet hashed
};

/// Fills up the part before to whole words, and begins one of `size` bytes.
inline void KeyBuilder::begin(Kind kind, std::size_t size) noexcept {
  if (size_ % 8 != 0) hash_.absorb(rest_);
  hash_.absorb(static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(size) << 8);
  rest_ = 0;
  size_ = (size_ + 7) / 8 * 8 + 8 + size;
}

inline void KeyBuilder::add(std::string_view part) noexcept {
  begin(Kind::text, part.size());
  rest_ = hash_.absorb(part);
}

inline void KeyBuilder::add(std::uint64_t number) noexcept {
  begin(Kind::number, sizeof number);
  hash_.absorb(number);
}

inline void KeyBuilder::add(const Key& key) noexcept {
  begin(Kind::key, sizeof key);
  hash_.absorb(key.hi);
  hash_.absorb(key.lo);
}

}  // namespace weir
