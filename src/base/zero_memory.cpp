// SPDX-License-Identifier: Apache-2.0
#include "base/zero_memory.hpp"

#include <new>

#include <sys/mman.h>

namespace weir {

ZeroMemory::ZeroMemory(std::size_t bytes) : bytes_(bytes) {
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = data;
}

ZeroMemory::~ZeroMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace weir
