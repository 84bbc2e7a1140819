// SPDX-License-Identifier: Apache-2.0
#include "cli/refused_keys.hpp"

#include <algorithm>
#include <tuple>

namespace weir::cli {

void RefusedKeys::count(const Key& key, std::size_t request) {
  const auto found = keys_.find(key);
  if (found != keys_.end()) {
    ++found->second.count;
  } else if (keys_.size() < most_keys) {
    keys_.emplace(key, Refused{1, request});
  } else {
    ++others_;
  }
}

std::vector<RefusedKeys::Refused> RefusedKeys::top(std::size_t most) const {
  std::vector<Refused> result;
  result.reserve(keys_.size());
  for (const auto& [key, refused] : keys_) result.push_back(refused);
  const auto before = [](const Refused& left, const Refused& right) {
    return std::tuple(right.count, left.example) < std::tuple(left.count, right.example);
  };
  const auto end = result.begin() + static_cast<std::ptrdiff_t>(std::min(most, result.size()));
  std::partial_sort(result.begin(), end, result.end(), before);
  result.erase(end, result.end());
  return result;
}

}  // namespace weir::cli
