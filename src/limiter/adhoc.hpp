// SPDX-License-Identifier: Apache-2.0
// Limits that come with an ask, compiled once and kept while they are asked for often.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <unordered_map>

#include <weir/limit.hpp>

#include "limiter/ruling.hpp"
#include "rules/rule_set.hpp"

namespace weir::limiter {

class AdhocLimits {
 public:
  struct Entry {
    rules::RuleLimit limit;
    std::optional<SharedTerms> shared;
  };

  /// The compiled limit, counted in `store`. It stays where it is until `trim` or `clear`.
  const Entry& get(const Limit& limit, const std::optional<rules::StorePlace>& store) {
    const auto found = limits_.find(limit);
    if (found != limits_.end()) return found->second;
    return limits_.emplace(limit, compile(limit, store)).first->second;
  }

  void clear() noexcept { limits_.clear(); }

  /// Between batches: starts over where callers bring ever new limits.
  void trim() noexcept {
    if (limits_.size() > most_kept) limits_.clear();
  }

 private:
  static constexpr std::size_t most_kept = 1024;

  static Entry compile(const Limit& limit, const std::optional<rules::StorePlace>& store) {
    Entry entry{.limit = {.name = limit.to_string(),
                          .rule = {},
                          .limit = CompiledLimit(limit),
                          .shadow = false,
                          .shared = rules::shared_in(store, limit),
                          .index = std::numeric_limits<std::uint32_t>::max()},
                .shared = {}};
    if (entry.limit.shared) entry.shared = terms_of(*entry.limit.shared, limit);
    return entry;
  }

  struct Hash {
    std::size_t operator()(const Limit& limit) const noexcept {
      constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
      std::uint64_t hash = limit.count() * odd + limit.capacity();
      hash = (hash ^ (hash >> 29)) * odd + static_cast<std::uint64_t>(limit.period().count());
      hash = (hash ^ (hash >> 32)) * odd + static_cast<std::uint64_t>(limit.algorithm());
      return hash ^ (hash >> 29);
    }
  };

  std::unordered_map<Limit, Entry, Hash> limits_;
};

}  // namespace weir::limiter
