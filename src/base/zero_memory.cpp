// SPDX-License-Identifier: Apache-2.0
#include "base/zero_memory.hpp"

#include <new>

#include <sys/mman.h>

namespace weir {

namespace {

constexpr std::size_t huge_from_bytes = std::size_t{64} << 20;

}  // namespace

ZeroMemory::ZeroMemory(std::size_t bytes) : bytes_(bytes) {
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = data;
  // Where each access is likely to miss, half of its cost is finding the page.
  if (bytes >= huge_from_bytes) ::madvise(data, bytes, MADV_HUGEPAGE);
}

ZeroMemory::~ZeroMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace weir
