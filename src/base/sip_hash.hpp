// SPDX-License-Identifier: Apache-2.0
// SipHash-1-3 with 128 bits of output (J.-P. Aumasson and D. J. Bernstein, 2012), word by word.
#pragma once

#include <bit>
#include <cstdint>

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
