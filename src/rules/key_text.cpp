// SPDX-License-Identifier: Apache-2.0
// A request's key as text, for those who may see it.
#include <algorithm>

#include "rules/explanation.hpp"

namespace weir::rules {

std::string RuleSet::key_text(const Request& request, std::string_view rule_name) const {
  const auto& rules = impl_->rules;
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [rule_name](const Rule& each) { return each.name == rule_name; });
  if (rule == rules.end()) return {};
  MatchScratch scratch;
  RequestView view(request, impl_->trust, scratch);
  std::string text;
  for (const auto& [part, value] : explain_key(*impl_, *rule, view)) {
    if (!value) continue;
    const bool constant = part.front() == '\'';
    text += (text.empty() ? "" : ", ") + part + (constant ? "" : ' ' + *value);
  }
  return text.empty() ? "everybody" : text;
}

std::size_t RuleSet::rule_count() const noexcept { return impl_->rules.size(); }

}  // namespace weir::rules
