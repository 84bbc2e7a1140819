// SPDX-License-Identifier: Apache-2.0
#include "rules/explanation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rules/problems.hpp"
#include "rules/text.hpp"

namespace weir::rules {

namespace {

/// `is not a`, `is none of a, b`.
template <typename Values, typename Text>
std::string none_of(const Values& values, Text text_of) {
  std::string list;
  for (const auto& value : values) list += (list.empty() ? "" : ", ") + std::string(text_of(value));
  return (values.size() == 1 ? "is not " : "is none of ") + list;
}

std::string why_path_fails(const Rule& rule, RequestView& view) {
  const auto path = printable(view.path().text());
  if (rule.when.matching_path(view) != nullptr) {
    return fmt::format(
        "the path '{}' is not written so: an exempt rule lets no other spelling pass", path);
  }
  return fmt::format("the path '{}' {}", path,
                     none_of(rule.when.paths, [](const PathPattern& p) { return p.text(); }));
}

std::string why_header_fails(const Rule& rule, RequestView& view) {
  for (const auto& header : rule.when.headers) {
    Condition alone;
    alone.headers = {header};
    if (alone.first_failing(view, rule.strictness()) == Failing::nothing) continue;
    const auto value = view.header(header.name);
    if (!value) return fmt::format("there is no header {}", header.name);
    return fmt::format("the header {}, '{}', {}", header.name, shown(*value),
                       none_of(header.values, [](const std::string& v) { return v; }));
  }
  return {};
}

std::string why_not(const Rule& rule, RequestView& view) {
  const auto text = [](const auto& value) { return value.text(); };
  switch (rule.when.first_failing(view, rule.strictness())) {
    case Failing::nothing: return {};
    case Failing::method:
      return fmt::format("the method '{}' {}", shown(view.method()),
                         none_of(rule.when.methods, [](const std::string& m) { return m; }));
    case Failing::path: return why_path_fails(rule, view);
    case Failing::host:
      return fmt::format("the host '{}' {}", shown(view.host()), none_of(rule.when.hosts, text));
    case Failing::header: return why_header_fails(rule, view);
    case Failing::cidr:
      if (!view.client()) return "the client has no address";
      return fmt::format(
          "the client {} {}", view.client()->to_string(),
          none_of(rule.when.networks, [](const Network& n) { return n.to_string(); }));
  }
  return {};
}

std::string value_text(const RuleSet::Impl& impl, const KeySource& source, std::string_view value,
                       RequestView& view) {
  if (source.kind != SourceKind::ip) return printable(value);
  const auto& client = view.client();
  if (!client) return "without address";
  const auto network = client->cut_to(impl.trust.ipv6_prefix).to_string();
  const bool is_cut = client->v6 && impl.trust.ipv6_prefix < 128;
  return is_cut ? fmt::format("{}/{}", network, impl.trust.ipv6_prefix) : network;
}

ExplainedPart explain_part(const RuleSet::Impl& impl, const KeyPart& part,
                           const KeyContext& context) {
  for (const auto& source : part.sources) {
    const auto value = value_of(source, context);
    if (value) return {source.text, value_text(impl, source, *value, context.view)};
  }
  return {part.to_string(), {}};
}

ExplainedRule explain_rule(const RuleSet::Impl& impl, const Rule& rule, RequestView& view) {
  ExplainedRule explained;
  explained.rule = &rule;
  explained.why_not = why_not(rule, view);
  if (!explained.why_not.empty() || rule.effect == Rule::Effect::exempt) return explained;
  explained.key = explain_key(impl, rule, view);
  for (const auto& part : explained.key) {
    if (part.value) continue;
    const bool denies =
        rule.missing == Rule::Missing::deny && rule.effect == Rule::Effect::enforced;
    if (!denies) explained.why_not = fmt::format("the request has no {}", part.part);
    return explained;
  }
  const auto plan = impl.plans.plan_of_request(view);
  if (!rule.plan_limits.empty()) explained.plan = impl.plans.names[plan];
  explained.limits = &rule.limits_of(plan);
  explained.cost = view.request().cost ? *view.request().cost : rule.cost_of(view);
  return explained;
}

}  // namespace

std::vector<ExplainedPart> explain_key(const RuleSet::Impl& impl, const Rule& rule,
                                       RequestView& view) {
  const KeyContext context{view, rule.when.matching_path(view), impl.plans.known_values()};
  std::vector<ExplainedPart> key;
  for (const auto& part : rule.key) key.push_back(explain_part(impl, part, context));
  return key;
}

Explanation explain_request(const RuleSet& rules, const RuleSet::Impl& impl,
                            const Request& request) {
  MatchScratch scratch;
  RequestView view(request, impl.trust, scratch);
  Explanation explanation;
  explanation.method = printable(view.method());
  explanation.host = printable(view.host());
  explanation.path = printable(view.path().text());
  explanation.path_written_so = view.path().written_so();
  explanation.client = view.client();
  if (impl.plans.by) explanation.plan = impl.plans.names[impl.plans.plan_of_request(view)];
  for (const auto& rule : impl.rules) explanation.rules.push_back(explain_rule(impl, rule, view));
  std::sort(explanation.rules.begin(), explanation.rules.end(),
            [](const auto& a, const auto& b) { return a.rule->place < b.rule->place; });
  Match match;
  rules.match(request, KeySecret{}, match);
  explanation.verdict = match.verdict;
  if (match.rule != nullptr) explanation.decided_by = *match.rule;
  return explanation;
}

}  // namespace weir::rules
