// SPDX-License-Identifier: Apache-2.0
// Counts how often each key was refused, and finds those that were refused most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/key.hpp"

namespace weir::cli {

class RefusedKeys {
 public:
  /// So many keys are told apart; what comes after them counts in `others` only.
  static constexpr std::size_t most_keys = 100'000;

  struct Refused {
    std::uint64_t count = 0;
    std::size_t example = 0;  ///< the first request that was refused
  };

  void count(const Key& key, std::size_t request);

  /// The `most` keys with the highest counts; of equal ones the first refused.
  [[nodiscard]] std::vector<Refused> top(std::size_t most) const;

  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
  [[nodiscard]] std::uint64_t others() const noexcept { return others_; }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      return key.lo;
    }  // it is a hash already
  };
  std::unordered_map<Key, Refused, Hash> keys_;
  std::uint64_t others_ = 0;
};

}  // namespace weir::cli
