// SPDX-License-Identifier: Apache-2.0
// What a counter's key is called in the store.
//
//     w:{SSSSS}LLLLL     14 bytes
//       |      |
//       |      5 bytes that say which limit, or which limits of one rule
//       5 bytes that say who is limited: in a cluster all counters of one stand together
//
// Raw bytes of keyed hashes: no name, address or API key is ever seen in the store. A `}` among the
// first five, which would end what picks the slot, is written `~`. A log's key has one byte more,
// `l`.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "store/store.hpp"

namespace weir::redis {

class KeyName {
 public:
  static constexpr std::size_t most_prefix_bytes = 32;

  KeyName() noexcept = default;
  KeyName(std::string_view prefix, const Key& subject) noexcept {
    assert(prefix.size() <= most_prefix_bytes);
    add(prefix);
    add("{");
    add_hash(subject.lo);
    std::replace(bytes_.begin() + prefix.size() + 1, bytes_.begin() + size_, '}', '~');
    add("}");
  }

  void add(std::string_view text) noexcept {
    std::memcpy(bytes_.data() + size_, text.data(), text.size());
    size_ += static_cast<std::uint8_t>(text.size());
  }

  /// Five bytes.
  void add_hash(std::uint64_t hash) noexcept {
    for (int byte = 0; byte < 5; ++byte, hash >>= 8) {
      bytes_[size_++] = static_cast<char>(hash & 0xff);
    }
  }

  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }
  friend bool operator==(const KeyName& a, const KeyName& b) noexcept {
    return a.view() == b.view();
  }

 private:
  std::array<char, most_prefix_bytes + 16> bytes_;
  std::uint8_t size_ = 0;
};

/// Where several limits of a rule stand in one key, the place of this one in it; else empty.
class FieldName {
 public:
  explicit FieldName(const Op& op) noexcept;
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

 private:
  std::array<char, 5> bytes_;
  std::uint8_t size_ = 0;
};

/// The key of the op's counter at `now`: a fixed window that stands alone has one for each window.
[[nodiscard]] KeyName key_name(std::string_view prefix, const Op& op, Time now) noexcept;

}  // namespace weir::redis
