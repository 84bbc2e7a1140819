// SPDX-License-Identifier: Apache-2.0
// A list of up to a fixed number of elements, in place. An empty one costs nothing: the elements'
// memory is not touched before they are there.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace weir {

template <typename T, std::size_t most>
class StaticVector {
 public:
  static_assert(std::is_trivially_copyable_v<T>, "nothing is destroyed or moved one by one");

  StaticVector() noexcept {}  // of a union no member is initialised
  StaticVector(const StaticVector&) = delete;
  StaticVector& operator=(const StaticVector&) = delete;

  /// Adds a fresh element. There must be room.
  T& emplace_back() noexcept {
    assert(size_ < most);
    return *std::construct_at(begin() + size_++);
  }

  /// The same with a copy.
  void push_back(const T& value) noexcept {
    assert(size_ < most);
    std::construct_at(begin() + size_++, value);
  }

  /// Keeps the first `size` elements, of which there are at least so many.
  void shrink(std::size_t size) noexcept {
    assert(size <= size_);
    size_ = size;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] T& operator[](std::size_t at) noexcept { return *(begin() + at); }
  [[nodiscard]] const T& operator[](std::size_t at) const noexcept { return *(begin() + at); }

  [[nodiscard]] T* begin() noexcept { return elements_.data(); }
  [[nodiscard]] T* end() noexcept { return begin() + size_; }
  [[nodiscard]] const T* begin() const noexcept { return elements_.data(); }
  [[nodiscard]] const T* end() const noexcept { return begin() + size_; }

 private:
  std::size_t size_ = 0;
  union {
    std::array<T, most> elements_;
  };
};

}  // namespace weir
