// SPDX-License-Identifier: Apache-2.0
// A counter's key: a 128-bit keyed hash of its length-prefixed parts. The text is never stored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

/// SipHash-1-3 with 128 bits of output (the reference's construction).
[[nodiscard]] Key sip_hash_128(const KeySecret& secret, std::string_view bytes) noexcept;

/// Collects the parts of a key, each behind its length, so that no two different lists of parts
/// make the same bytes. Holds at most `most_bytes`; a longer part is replaced by its hash, so a key
/// of any length is told apart from every other and nothing is cut.
class KeyBuilder {
 public:
  static constexpr std::size_t most_bytes = 512;
  static constexpr std::size_t longest_part = 128;

  explicit KeyBuilder(const KeySecret& secret) noexcept : secret_(secret) {}

  void clear() noexcept { size_ = 0; }

  /// Adds a part. Where the whole no longer fits, everything so far is folded into its hash.
  void add(std::string_view part) noexcept;

  /// Adds a number as a part of 8 bytes.
  void add(std::uint64_t number) noexcept;

  /// Adds an already hashed key as a part.
  void add(const Key& key) noexcept;

  [[nodiscard]] Key key() const noexcept { return sip_hash_128(secret_, {bytes_.data(), size_}); }

 private:
  void append(char kind, std::string_view bytes) noexcept;

  KeySecret secret_;
  std::size_t size_ = 0;
  std::array<char, most_bytes> bytes_;
};

}  // namespace weir
