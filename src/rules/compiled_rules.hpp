// SPDX-License-Identifier: Apache-2.0
// The inside of a rule set: rules as they are evaluated, and the index that finds them by path.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/condition.hpp"
#include "rules/key_expression.hpp"
#include "rules/rule_set.hpp"

namespace weir::rules {

/// The limits of a rule for some plan; none where the plan is unlimited.
using LimitList = std::vector<const RuleLimit*>;

struct CostCase {
  Condition when;
  std::uint64_t cost = 1;
};

struct Rule {
  enum class Effect : std::uint8_t { exempt, enforced, shadow };  // in the order of evaluation
  enum class Missing : std::uint8_t { skip, deny };

  std::string name;
  std::uint32_t place = 0;  ///< in the file, from 0
  Effect effect = Effect::enforced;
  Condition when;
  std::vector<KeyPart> key;
  Missing missing = Missing::skip;
  std::vector<CostCase> costs;

  /// One list for everybody, or the default plan's list and those of other plans.
  LimitList limits;
  std::vector<std::pair<std::uint32_t, LimitList>> plan_limits;
  std::uint16_t part = 0;  ///< of its hits

  [[nodiscard]] Strictness strictness() const noexcept {
    return effect == Effect::exempt ? Strictness::strict : Strictness::loose;
  }
  [[nodiscard]] std::uint64_t cost_of(RequestView& view) const;
  [[nodiscard]] const LimitList& limits_of(std::uint32_t plan) const noexcept;
};

/// Finds the rules whose path patterns match, however many others there are: patterns are kept
/// under their literal prefix, and a path is looked up by each of its own prefixes.
///
///     /v1/users/7/posts  ->  ""  /v1  /v1/users  /v1/users/7  /v1/users/7/posts
///                                         `- /v1/users/*/posts     `- exact paths
class PathIndex {
 public:
  /// `pattern` outlives the index.
  void add(const PathPattern& pattern, RuleCandidate candidate);

  /// The rules that match, in ascending order, each with the first of its patterns that does.
  void find(const NormalPath& path, std::vector<RuleCandidate>& found) const;

 private:
  struct Entry {
    const PathPattern* pattern;
    RuleCandidate candidate;
  };
  std::unordered_map<std::string, std::vector<Entry>, StringHash, std::equal_to<>> by_prefix_;
  std::size_t deepest_ = 0;  // the most literal segments of any pattern
};

/// `plans:` which plan a request has.
struct Plans {
  static constexpr std::uint32_t default_plan = 0;

  std::optional<KeyPart> by;
  bool has_map = false;                           ///< else the value is the plan's name itself
  PlanOfValue plan_of;                            ///< by value of the map, or by name
  std::vector<std::string> names{std::string()};  ///< by number; the default one first
  std::string file;                               ///< that the map was read from; or empty

  /// A plan that is unknown, empty or absent is the default.
  [[nodiscard]] std::uint32_t plan_of_request(RequestView& view) const;

  [[nodiscard]] const PlanOfValue* known_values() const noexcept {
    return has_map ? &plan_of : nullptr;
  }
};

struct RuleSet::Impl {
  ClientTrust trust;
  Plans plans;
  std::deque<RuleLimit> limits;  ///< what `all` points to
  std::vector<const RuleLimit*> all;
  std::map<std::string, const RuleLimit*, std::less<>> named;
  std::optional<StorePlace> asked_store;
  std::vector<Rule> rules;              ///< exempting ones, then enforced ones, then shadow ones
  std::vector<std::uint32_t> pathless;  ///< rules that ask for no path, ascending
  PathIndex index;

  /// Orders the rules for evaluation and indexes them. Once, when all are there.
  void finish();
};

}  // namespace weir::rules
