// SPDX-License-Identifier: Apache-2.0
#include "limiter/ruling.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weir::limiter {

namespace {

/// Reloads whose leftovers are still looked for. A key that rests through more changes of its
/// limit's numbers than this starts afresh.
constexpr std::size_t most_predecessors = 4;

Key salt_of(const rules::RuleLimit& limit, const KeySecret& secret) {
  KeyBuilder builder(secret);
  builder.add(limit.rule.empty() ? "named limit" : "rule");
  builder.add(limit.rule);
  builder.add(limit.name);
  builder.add(limit.limit.limit.to_string());
  return builder.key();
}

std::vector<Predecessor> predecessors_of(const Key& salt, const rules::RuleLimit& was,
                                         const LimitIdentity& was_identity) {
  std::vector<Predecessor> result;
  if (was_identity.salt != salt) result.push_back({was_identity.salt, was.limit});
  for (const auto& older : was_identity.predecessors) {
    if (older.salt != salt && result.size() < most_predecessors) result.push_back(older);
  }
  return result;
}

}  // namespace

Ruling::Ruling(std::shared_ptr<const rules::RuleSet> rules, const KeySecret& secret,
               const Ruling* before)
    : rules_(std::move(rules)), identities_(rules_->all_limits().size()) {
  using Name = std::pair<std::string_view, std::string_view>;
  std::map<Name, const rules::RuleLimit*> earlier;
  if (before != nullptr) {
    for (const auto* limit : before->rules_->all_limits()) {
      earlier.try_emplace({limit->rule, limit->name}, limit);
    }
  }
  for (const auto* limit : rules_->all_limits()) {
    auto& identity = identities_[limit->index];
    identity.salt = salt_of(*limit, secret);
    const auto was = earlier.find({limit->rule, limit->name});
    if (was == earlier.end()) continue;
    identity.predecessors =
        predecessors_of(identity.salt, *was->second, before->identity(*was->second));
  }
}

}  // namespace weir::limiter
