// SPDX-License-Identifier: Apache-2.0
// A queue that allocates nothing once it has been as long as it gets.
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

namespace weir::redis {

/// A ring: `std::deque` allocates again and again while elements pass through it.
template <typename T>
class Fifo {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The first to leave is number 0.
  [[nodiscard]] T& operator[](std::size_t index) noexcept {
    assert(index < size_);
    return ring_[(first_ + index) & (ring_.size() - 1)];
  }
  [[nodiscard]] const T& front() const noexcept {
    assert(size_ > 0);
    return ring_[first_];
  }

  void push(const T& value) {
    if (size_ == ring_.size()) grow();
    ++size_;
    (*this)[size_ - 1] = value;
  }
  T pop() noexcept {
    const T value = front();
    first_ = (first_ + 1) & (ring_.size() - 1);
    --size_;
    return value;
  }
  void clear() noexcept { first_ = size_ = 0; }

 private:
  void grow() {
    std::vector<T> larger(ring_.empty() ? 64 : ring_.size() * 2);  // a power of two
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    ring_.swap(larger);
    first_ = 0;
  }

  std::vector<T> ring_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weir::redis
