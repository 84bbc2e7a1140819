// SPDX-License-Identifier: Apache-2.0
// The bytes that arrived on a connection and are not read yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace weir::redis {

class Input {
 public:
  [[nodiscard]] std::string_view bytes() const noexcept {
    return {buffer_.data() + begin_, end_ - begin_};
  }

  /// Where the next bytes go. Moves `bytes`.
  [[nodiscard]] std::span<char> room() {
    if (begin_ == end_) begin_ = end_ = 0;
    if (buffer_.size() - end_ < least_room && begin_ > 0) {
      std::copy(buffer_.data() + begin_, buffer_.data() + end_, buffer_.data());
      end_ -= begin_;
      begin_ = 0;
    }
    if (buffer_.size() - end_ < least_room) buffer_.resize(end_ + 2 * least_room);
    return std::span(buffer_).subspan(end_);
  }

  void added(std::size_t count) noexcept { end_ += count; }
  void taken(std::size_t count) noexcept { begin_ += count; }
  void clear() noexcept { begin_ = end_ = 0; }

 private:
  static constexpr std::size_t least_room = std::size_t{8} << 10;

  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace weir::redis
