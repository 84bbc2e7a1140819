// SPDX-License-Identifier: Apache-2.0
#include "rules/compiled_rules.hpp"

namespace weir::rules {

std::string RuleSet::explain(const Request&) const { return {}; }
std::string RuleSet::explain_json(const Request&) const { return {}; }

}  // namespace weir::rules
