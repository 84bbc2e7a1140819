// SPDX-License-Identifier: Apache-2.0
// A large piece of zeroed memory straight from the system. A page takes no memory until it is
// written.
#pragma once

#include <cstddef>
#include <utility>

namespace weir {

class ZeroMemory {
 public:
  /// Throws std::bad_alloc where the system gives no such piece.
  explicit ZeroMemory(std::size_t bytes);
  ~ZeroMemory();
  ZeroMemory(ZeroMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ZeroMemory& operator=(ZeroMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace weir
