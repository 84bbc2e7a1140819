// SPDX-License-Identifier: Apache-2.0
// What each rule makes of a request, as values: for people and programs it is written elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/compiled_rules.hpp"

namespace weir::rules {

/// A part of a key, and what it is for this request.
struct ExplainedPart {
  std::string part;                  ///< the source that has a value; else all of them
  std::optional<std::string> value;  ///< nothing where the request lacks all of them
};

struct ExplainedRule {
  const Rule* rule = nullptr;
  std::string why_not;  ///< empty: it applies
  std::vector<ExplainedPart> key;
  std::uint64_t cost = 1;
  std::string plan;  ///< whose limits they are; empty where the limits are for everybody
  const LimitList* limits = nullptr;
};

struct Explanation {
  std::string method, host, path;
  bool path_written_so = false;
  std::optional<Address> client;
  std::string plan;  ///< empty where there are none
  Match::Verdict verdict = Match::Verdict::limited;
  std::string decided_by;            ///< the rule that exempts or forbids
  std::vector<ExplainedRule> rules;  ///< in the order of the file
};

[[nodiscard]] Explanation explain_request(const RuleSet& rules, const RuleSet::Impl& impl,
                                          const Request& request);

/// What a rule's key is made of, for this request.
[[nodiscard]] std::vector<ExplainedPart> explain_key(const RuleSet::Impl& impl, const Rule& rule,
                                                     RequestView& view);

}  // namespace weir::rules
