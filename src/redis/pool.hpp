// SPDX-License-Identifier: Apache-2.0
// Objects that stay where they are and are used again: in the long run nothing is allocated.
#pragma once

#include <deque>
#include <vector>

namespace weir::redis {

template <typename T>
class Pool {
 public:
  /// An object as it was given back, or a new one.
  T& take() {
    if (free_.empty()) return all_.emplace_back();
    T& object = *free_.back();
    free_.pop_back();
    return object;
  }

  void give_back(T& object) { free_.push_back(&object); }

 private:
  std::deque<T> all_;
  std::vector<T*> free_;
};

}  // namespace weir::redis
