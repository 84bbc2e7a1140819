// SPDX-License-Identifier: Apache-2.0
// SipHash-1-3 with 128 bits of output (J.-P. Aumasson and D. J. Bernstein, 2012), word by word.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace weir {

class SipHash {
 public:
  constexpr SipHash(std::uint64_t k0, std::uint64_t k1) noexcept
      : v0_(k0 ^ 0x736f6d6570736575u),
        v1_(k1 ^ 0x646f72616e646f6du ^ 0xee),
        v2_(k0 ^ 0x6c7967656e657261u),
        v3_(k1 ^ 0x7465646279746573u) {}

  /// Takes the next eight bytes, as a little-endian number.
  constexpr void absorb(std::uint64_t word) noexcept {
    v3_ ^= word;
    round();
    v0_ ^= word;
  }

  /// Takes the whole words of `bytes`; returns the rest, as a word filled up with zeros.
  [[nodiscard]] std::uint64_t absorb(std::string_view bytes) noexcept {
    SipHash hash = *this;  // in registers: the bytes might be this object's, for all compilers know
    for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
      hash.absorb(load<std::uint64_t>(bytes, 0));
    }
    *this = hash;
    return load_rest(bytes);
  }

  struct Digest {
    std::uint64_t first;
    std::uint64_t second;
  };

  /// The hash, where `last` is the final word: what is left of the bytes, with the number of all of
  /// them, modulo 256, in the top byte.
  [[nodiscard]] constexpr Digest finish(std::uint64_t last) const noexcept {
    SipHash end = *this;
    end.absorb(last);
    end.v2_ ^= 0xee;
    const std::uint64_t first = end.squeeze();
    end.v1_ ^= 0xdd;
    return {first, end.squeeze()};
  }

 private:
  template <typename Number>
  [[nodiscard]] static std::uint64_t load(std::string_view bytes, std::size_t at) noexcept {
    static_assert(std::endian::native == std::endian::little, "words are taken as little-endian");
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
  }

  /// Of at most three loads, for a copy of an unknown length would be a call.
  [[nodiscard]] static std::uint64_t load_rest(std::string_view rest) noexcept {
    const std::size_t size = rest.size();
    if (size >= 4) {
      // The two loads may overlap: the bytes of both are the same there.
      return load<std::uint32_t>(rest, 0) | load<std::uint32_t>(rest, size - 4) << 8 * (size - 4);
    }
    if (size == 0) return 0;
    return load<std::uint8_t>(rest, 0) | load<std::uint8_t>(rest, size / 2) << 8 * (size / 2) |
           load<std::uint8_t>(rest, size - 1) << 8 * (size - 1);
  }

  constexpr void round() noexcept {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v1_;
    v0_ += v3_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ = std::rotl(v2_, 32);
  }

  constexpr std::uint64_t squeeze() noexcept {
    round();
    round();
    round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

  std::uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace weir
