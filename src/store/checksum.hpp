// SPDX-License-Identifier: Apache-2.0
// A checksum of any length of bytes: SipHash of one piece after another, each keyed with the result
// of the one before.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/key.hpp"

namespace weir::store {

class Checksum {
 public:
  /// All pieces but the last have this size.
  static constexpr std::size_t piece_bytes = std::size_t{64} << 10;

  void add(std::span<const std::byte> piece) noexcept {
    sum_ = sip_hash_128({.k0 = sum_.hi, .k1 = sum_.lo},
                        {reinterpret_cast<const char*>(piece.data()), piece.size()});
  }

  [[nodiscard]] const Key& sum() const noexcept { return sum_; }

 private:
  Key sum_;
};

}  // namespace weir::store
