// SPDX-License-Identifier: Apache-2.0
// Limits that come with an ask, compiled once and kept while they are asked for often.
#pragma once

#include <cstddef>
#include <limits>
#include <unordered_map>

#include <weir/limit.hpp>

#include "rules/rule_set.hpp"

namespace weir::limiter {

class AdhocLimits {
 public:
  /// The compiled limit. It stays where it is until `trim`.
  const rules::RuleLimit& get(const Limit& limit) {
    const auto found = limits_.find(limit);
    if (found != limits_.end()) return found->second;
    return limits_.emplace(limit, compile(limit)).first->second;
  }

  /// Between batches: starts over where callers bring ever new limits.
  void trim() noexcept {
    if (limits_.size() > most_kept) limits_.clear();
  }

 private:
  static constexpr std::size_t most_kept = 1024;

  static rules::RuleLimit compile(const Limit& limit) {
    return {.name = limit.to_string(),
            .rule = {},
            .limit = CompiledLimit(limit),
            .shadow = false,
            .index = std::numeric_limits<std::uint32_t>::max()};
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

  std::unordered_map<Limit, rules::RuleLimit, Hash> limits_;
};

}  // namespace weir::limiter
