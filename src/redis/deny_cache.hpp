// SPDX-License-Identifier: Apache-2.0
// The states of keys that were refused, so that they are refused again without asking: for a second
// at most, and only while the limit's own step on that state refuses still. So the numbers are
// exact, but for what other instances give back or charge in that second.
#pragma once

#include <cstdint>
#include <vector>

#include "base/key.hpp"
#include "redis/found.hpp"

namespace weir::redis {

/// Direct-mapped: a key has one place, where the newest stays. Of one loop.
class DenyCache {
 public:
  static constexpr std::size_t places = 4096;

  /// `longest` is how long a state is trusted; with 0 none is.
  explicit DenyCache(Duration longest)
      : longest_(longest), entries_(longest > Duration{} ? places : 0) {}

  struct Entry {
    Key key;
    Found found;
    Time seen;
    std::uint64_t cost = 0;
    std::uint32_t epoch = 0;  ///< of the units given back: another one, and the state is not known
  };

  void put(const Entry& entry) noexcept {
    if (!entries_.empty()) entries_[place(entry.key)] = entry;
  }

  /// The state at `now`, by the store's clock; null where it is not known.
  [[nodiscard]] const Entry* find(const Key& key, Time now, std::uint32_t epoch) const noexcept {
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[place(key)];
    const bool is_known = entry.key == key && entry.epoch == epoch && now >= entry.seen &&
                          now - entry.seen < longest_;
    return is_known ? &entry : nullptr;
  }

 private:
  [[nodiscard]] static std::size_t place(const Key& key) noexcept { return key.lo % places; }

  Duration longest_;
  std::vector<Entry> entries_;
};

}  // namespace weir::redis
