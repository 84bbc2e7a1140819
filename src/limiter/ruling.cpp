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

Key salt_of(const rules::RuleLimit& limit, const KeySecret& secret, bool packed) {
  KeyBuilder builder(secret);
  builder.add(limit.rule.empty() ? "named limit" : "rule");
  builder.add(limit.rule);
  builder.add(limit.name);
  builder.add(limit.limit.limit.to_string());
  if (packed) builder.add("packed");  // elsewhere than alone: what stood there is carried over
  return builder.key();
}

/// The rules whose shared limits stand together in one place: those that have several.
std::map<std::string_view, SharedTerms> packs_of(const rules::RuleSet& rules,
                                                 const KeySecret& secret) {
  std::map<std::string_view, SharedTerms> packs;
  std::map<std::string_view, int> counts;
  for (const auto* limit : rules.all_limits()) {
    if (!limit->shared || limit->rule.empty()) continue;
    auto terms = terms_of(*limit->shared, limit->limit.limit);
    const auto [pack, is_new] = packs.try_emplace(limit->rule, terms);
    pack->second.longest_state = std::max(pack->second.longest_state, terms.longest_state);
    KeyBuilder builder(secret);
    builder.add("pack");
    builder.add(limit->rule);
    pack->second.pack = builder.key();
    ++counts[limit->rule];
  }
  std::erase_if(packs, [&](const auto& pack) { return counts[pack.first] < 2; });
  return packs;
}

std::vector<Predecessor> predecessors_of(const Key& salt, const rules::RuleLimit& was,
                                         const LimitIdentity& was_identity) {
  std::vector<Predecessor> result;
  if (was_identity.salt != salt) {
    result.push_back({was_identity.salt, was.limit, was_identity.shared});
  }
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
  const auto packs = packs_of(*rules_, secret);
  for (const auto* limit : rules_->all_limits()) {
    auto& identity = identities_[limit->index];
    const auto pack = packs.find(limit->rule);
    identity.salt = salt_of(*limit, secret, pack != packs.end());
    if (limit->shared) identity.shared = terms_of(*limit->shared, limit->limit.limit);
    if (pack != packs.end()) {
      identity.shared->pack = pack->second.pack;
      identity.shared->longest_state = pack->second.longest_state;
    }
    const auto was = earlier.find({limit->rule, limit->name});
    if (was == earlier.end()) continue;
    identity.predecessors =
        predecessors_of(identity.salt, *was->second, before->identity(*was->second));
  }
}

}  // namespace weir::limiter
