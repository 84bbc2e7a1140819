// SPDX-License-Identifier: Apache-2.0
// A request's key as text, for those who may see it: the log is theirs.
#include <algorithm>

#include "rules/compiled_rules.hpp"

namespace weir::rules {

namespace {

const PathPattern* first_matching(const Rule& rule, const NormalPath& path) {
  const auto found = std::ranges::find_if(rule.when.paths, [&](const PathPattern& pattern) {
    return pattern.matches(path.segments());
  });
  return found == rule.when.paths.end() ? nullptr : &*found;
}

std::string text_of(const KeySource& source, std::string_view value, RequestView& view,
                    unsigned ipv6_prefix) {
  if (source.kind == SourceKind::constant) return source.text;
  if (source.kind != SourceKind::ip) return source.text + ' ' + std::string(value);
  const auto& client = view.client();
  return "ip " +
         (client ? client->cut_to(ipv6_prefix).to_string() : std::string("without address"));
}

}  // namespace

std::string RuleSet::key_text(const Request& request, std::string_view rule_name) const {
  const auto rule = std::ranges::find(impl_->rules, rule_name, &Rule::name);
  if (rule == impl_->rules.end()) return {};
  MatchScratch scratch;
  RequestView view(request, impl_->trust, scratch);
  const KeyContext context{view, first_matching(*rule, view.path()), impl_->plans.known_values()};
  std::string text;
  for (const auto& part : rule->key) {
    for (const auto& source : part.sources) {
      const auto value = value_of(source, context);
      if (!value) continue;
      text += (text.empty() ? "" : ", ") + text_of(source, *value, view, impl_->trust.ipv6_prefix);
      break;
    }
  }
  return text.empty() ? "everybody" : text;
}

std::size_t RuleSet::rule_count() const noexcept { return impl_->rules.size(); }

}  // namespace weir::rules
