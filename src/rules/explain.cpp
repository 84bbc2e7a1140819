// SPDX-License-Identifier: Apache-2.0
// An explanation written out: for people, and as JSON.
#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "rules/explanation.hpp"

namespace weir::rules {

namespace {

namespace json = boost::json;

std::string_view name_of(Rule::Effect effect) {
  switch (effect) {
    case Rule::Effect::exempt: return "exempt";
    case Rule::Effect::enforced: return "enforced";
    case Rule::Effect::shadow: return "shadow";
  }
  return "";
}

std::string_view name_of(Match::Verdict verdict) {
  switch (verdict) {
    case Match::Verdict::limited: return "limited";
    case Match::Verdict::exempt: return "exempt";
    case Match::Verdict::forbidden: return "forbidden";
  }
  return "";
}

/// A limit by its name, and its numbers where the name does not say them.
std::string limit_text(const RuleLimit& limit) {
  const auto text = limit.limit.limit.to_string();
  return limit.name == text ? text : fmt::format("{} ({})", limit.name, text);
}

void line(std::string& out, std::string_view label, std::string_view text) {
  out += fmt::format("  {:<8}{}\n", label, text);
}

void write_rule(const ExplainedRule& explained, std::string& out) {
  const Rule& rule = *explained.rule;
  const std::string_view kind = rule.effect == Rule::Effect::enforced ? "" : name_of(rule.effect);
  out += fmt::format("\nrule '{}'{}{}{}: ", rule.name, kind.empty() ? "" : " (", kind,
                     kind.empty() ? "" : ")");
  if (!explained.why_not.empty()) {
    out += fmt::format("does not apply: {}\n", explained.why_not);
    return;
  }
  out += "applies\n";
  if (rule.effect == Rule::Effect::exempt) return;
  if (explained.key.empty()) line(out, "key", "none: one counter for everybody");
  for (const auto& part : explained.key) {
    line(out, "key",
         part.value ? fmt::format("{} = '{}'", part.part, *part.value)
                    : fmt::format("{} is missing: denied", part.part));
  }
  if (explained.limits == nullptr) return;
  line(out, "cost", std::to_string(explained.cost));
  if (!explained.plan.empty()) line(out, "plan", explained.plan);
  if (explained.limits->empty()) line(out, "limits", "unlimited");
  for (const auto* limit : *explained.limits) line(out, "limit", limit_text(*limit));
}

/// How many limits are met, by rules of one effect.
std::size_t limits_met(const Explanation& explanation, Rule::Effect effect) {
  std::size_t count = 0;
  for (const auto& rule : explanation.rules) {
    if (rule.rule->effect == effect && rule.limits != nullptr) count += rule.limits->size();
  }
  return count;
}

std::string result_text(const Explanation& explanation) {
  if (explanation.verdict == Match::Verdict::exempt) {
    return fmt::format("exempt by rule '{}': admitted, and nothing is counted",
                       explanation.decided_by);
  }
  if (explanation.verdict == Match::Verdict::forbidden) {
    return fmt::format("forbidden by rule '{}': 403, and nothing is counted",
                       explanation.decided_by);
  }
  const auto enforced = limits_met(explanation, Rule::Effect::enforced);
  const auto shadow = limits_met(explanation, Rule::Effect::shadow);
  auto text = enforced == 0   ? std::string("no limit is enforced: admitted")
              : enforced == 1 ? std::string("1 limit decides")
                              : fmt::format("{} limits decide, all or nothing", enforced);
  if (shadow > 0) text += fmt::format("; {} more in shadow", shadow);
  return text;
}

json::object json_of(const ExplainedRule& explained) {
  json::object object{{"rule", explained.rule->name},
                      {"effect", name_of(explained.rule->effect)},
                      {"applies", explained.why_not.empty()}};
  if (!explained.why_not.empty()) {
    object["why_not"] = explained.why_not;
    return object;
  }
  if (explained.rule->effect == Rule::Effect::exempt) return object;
  json::array key;
  for (const auto& part : explained.key) {
    key.push_back(
        {{"part", part.part}, {"value", part.value ? json::value(*part.value) : json::value()}});
  }
  object["key"] = std::move(key);
  if (explained.limits == nullptr) return object;
  object["cost"] = explained.cost;
  if (!explained.plan.empty()) object["plan"] = explained.plan;
  json::array limits;
  for (const auto* limit : *explained.limits) {
    limits.push_back({{"name", limit->name}, {"limit", limit->limit.limit.to_string()}});
  }
  object["limits"] = std::move(limits);
  return object;
}

}  // namespace

std::string RuleSet::explain(const Request& request) const {
  const auto explanation = explain_request(*this, *impl_, request);
  std::string out =
      fmt::format("{} {}{}\n", explanation.method, explanation.host, explanation.path);
  if (!explanation.path_written_so) {
    line(out, "path", "in normal form; the request has another spelling");
  }
  line(out, "client", explanation.client ? explanation.client->to_string() : "without address");
  if (!explanation.plan.empty()) line(out, "plan", explanation.plan);
  for (const auto& rule : explanation.rules) write_rule(rule, out);
  return out + fmt::format("\nresult: {}\n", result_text(explanation));
}

std::string RuleSet::explain_json(const Request& request) const {
  const auto explanation = explain_request(*this, *impl_, request);
  json::object object{{"method", explanation.method},
                      {"host", explanation.host},
                      {"path", explanation.path},
                      {"path_in_normal_form", explanation.path_written_so}};
  object["client"] =
      explanation.client ? json::value(explanation.client->to_string()) : json::value();
  if (!explanation.plan.empty()) object["plan"] = explanation.plan;
  object["verdict"] = name_of(explanation.verdict);
  if (!explanation.decided_by.empty()) object["decided_by"] = explanation.decided_by;
  json::array rules;
  for (const auto& rule : explanation.rules) rules.push_back(json_of(rule));
  object["rules"] = std::move(rules);
  return json::serialize(object);
}

}  // namespace weir::rules
