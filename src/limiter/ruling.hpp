// SPDX-License-Identifier: Apache-2.0
// The rules in force as the engine counts by them: what tells one counter from another, and which
// counters a reload left behind.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/key.hpp"
#include "rules/rule_set.hpp"
#include "store/store.hpp"

namespace weir::limiter {

/// A counter's key is the key of the request's parts xor the salt of the limit that counts it. Both
/// are outputs of the keyed hash, so no choice of names or parts brings two counters together.
[[nodiscard]] constexpr Key salted(const Key& key, const Key& salt) noexcept {
  return {key.hi ^ salt.hi, key.lo ^ salt.lo};
}

/// The terms of a limit alone in its place in a shared store.
[[nodiscard]] inline SharedTerms terms_of(const rules::SharedLimit& shared, const Limit& limit) {
  return {.store = shared.store,
          .on_failure = shared.on_failure,
          .share = CompiledLimit(shared.share),
          .pack = {},
          .longest_state = longest_state(limit)};
}

/// Numbers that a limit of the same rule and name had before.
struct Predecessor {
  Key salt;
  CompiledLimit limit;
  std::optional<SharedTerms> shared{};
};

/// A limit's identity: the salt covers rule, limit name and numbers, so a limit with other numbers
/// never reads a state that it would misunderstand; what the earlier ones left is carried over.
struct LimitIdentity {
  Key salt;
  std::optional<SharedTerms> shared;      ///< where instances share it
  std::vector<Predecessor> predecessors;  ///< the latest first
};

/// An immutable rule set with the identities of its limits.
class Ruling {
 public:
  /// The rules that follow `before` (null at the start).
  Ruling(std::shared_ptr<const rules::RuleSet> rules, const KeySecret& secret,
         const Ruling* before);

  [[nodiscard]] const rules::RuleSet& rules() const noexcept { return *rules_; }
  [[nodiscard]] const std::shared_ptr<const rules::RuleSet>& shared_rules() const noexcept {
    return rules_;
  }
  [[nodiscard]] const LimitIdentity& identity(const rules::RuleLimit& limit) const noexcept {
    return identities_[limit.index];
  }

  /// How many limits there are: their indexes are below.
  [[nodiscard]] std::size_t limit_count() const noexcept { return identities_.size(); }

 private:
  std::shared_ptr<const rules::RuleSet> rules_;
  std::vector<LimitIdentity> identities_;  // by RuleLimit::index
};

}  // namespace weir::limiter
