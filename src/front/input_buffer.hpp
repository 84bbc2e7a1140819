// SPDX-License-Identifier: Apache-2.0
// The bytes that a connection has read and its session has not eaten yet.
//
//     begin      end           capacity
//       v         v               v
//     [ | uneaten | room ........ ]
//
// Each connection has its own: a read that the system has been asked for owns the room until it is
// done, so nothing moves except in `room`, which is called before each read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace weir::front {

class InputBuffer {
 public:
  static constexpr std::size_t first_capacity = 4096;
  static constexpr std::size_t most_read = 16384;  ///< room kept beyond what may stay uneaten

  /// Holds at least `most_uneaten` bytes, and never more than `most_read` beyond.
  explicit InputBuffer(std::size_t most_uneaten) noexcept
      : most_capacity_(std::max(most_uneaten + most_read, first_capacity)) {}

  /// Where to read into; never empty while less than the bound is uneaten. Grows where what is
  /// uneaten leaves little room or the last read filled it: more was there to read.
  [[nodiscard]] std::span<char> room() {
    if (begin_ == end_) begin_ = end_ = 0;
    const bool small = filled_ || end_ - begin_ > capacity_ / 2;
    if (small && capacity_ < most_capacity_) {
      move_to(std::min(std::max(capacity_ * 2, first_capacity), most_capacity_));
    } else if (begin_ > 0 && capacity_ - end_ < capacity_ / 2) {
      std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    return {bytes_.get() + end_, capacity_ - end_};
  }

  /// `count` bytes were read into the room.
  void commit(std::size_t count) noexcept {
    end_ += count;
    filled_ = end_ == capacity_;
  }

  void consume(std::size_t count) noexcept { begin_ += count; }

  [[nodiscard]] std::string_view view() const noexcept {
    return {bytes_.get() + begin_, end_ - begin_};
  }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

 private:
  void move_to(std::size_t capacity) {
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    if (!empty()) std::memcpy(bytes.get(), bytes_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    bytes_ = std::move(bytes);
    capacity_ = capacity;
    filled_ = false;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t capacity_ = 0;
  std::size_t most_capacity_;
  bool filled_ = true;  // no memory is taken before the first read
};

}  // namespace weir::front
