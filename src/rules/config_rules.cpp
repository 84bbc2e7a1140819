// SPDX-License-Identifier: Apache-2.0
// `rules:` each rule read, checked and compiled.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "limit/text.hpp"
#include "rules/config_reading.hpp"
#include "rules/text.hpp"

namespace weir::rules {

namespace {

constexpr std::size_t most_key_parts = 8;
constexpr std::size_t most_costs = 64;
constexpr std::uint64_t most_cost = Limit::most_units;

/// Reads one rule.
class RuleReading {
 public:
  RuleReading(const RulesContext& around, const Value& value)
      : around_(around),
        reader_(around.reader),
        value_(value),
        section_(around.reader, value,
                 {"name", "match", "key", "missing", "cost", "limits", "exempt", "shadow", "store",
                  "on_store_failure"}) {}

  [[nodiscard]] Rule read(std::uint32_t place) {
    rule_.place = place;
    read_name();
    if (!value_.is_map()) return std::move(rule_);
    if (const auto* match = section_.find("match")) {
      rule_.when = read_condition(
          reader_, Section(reader_, *match, {"method", "host", "path", "header", "cidr"}));
    }
    read_effect();
    if (rule_.effect == Rule::Effect::exempt) {
      check_exempt();
      return std::move(rule_);
    }
    read_key();
    read_costs();
    read_limits();
    check_costs();
    return std::move(rule_);
  }

 private:
  void read_name() {
    const auto* name = section_.find("name");
    if (name == nullptr) {
      if (value_.is_map()) {
        reader_.error(value_, "'name' is missing: answers, metrics and counters go by it");
      }
      return;
    }
    const auto text = reader_.text(*name, "a name");
    if (text && reader_.check_name(*name, *text)) rule_.name = *text;
  }

  bool flag(std::string_view key) {
    const auto* value = section_.find(key);
    if (value == nullptr) return false;
    const auto flag = reader_.boolean(*value);
    effect_unknown_ |= !flag;
    return flag.value_or(false);
  }

  void read_effect() {
    const bool shadow = flag("shadow");
    const bool exempt = flag("exempt");
    if (exempt && shadow) {
      reader_.error(*section_.find("shadow"), "an exempting rule can't be a shadow");
    }
    if (exempt) {
      rule_.effect = Rule::Effect::exempt;
    } else if (shadow) {
      rule_.effect = Rule::Effect::shadow;
    }
  }

  void check_exempt() {
    for (const auto* key : {"key", "missing", "cost", "limits", "store", "on_store_failure"}) {
      if (const auto* value = section_.find(key)) {
        reader_.error(*value, "has no meaning beside 'exempt: true', which counts nothing");
      }
    }
    if (rule_.when.empty()) {
      reader_.warning(*section_.find("exempt"),
                      "without 'match' it exempts every request: no rule limits anything");
    }
  }

  void read_key() {
    const auto* key = section_.find("key");
    const KeySurroundings around{!rule_.when.paths.empty(), around_.impl.plans.has_map};
    bool can_miss = false;
    if (key != nullptr) {
      for (const auto& item : reader_.items(*key, most_key_parts)) {
        auto part = read_key_part(reader_, item, around);
        if (!part) continue;
        if (!part->always_there()) check_missing(item, *part);
        can_miss |= !part->always_there();
        rule_.key.push_back(std::move(*part));
      }
    }
    const auto* missing = section_.find("missing");
    if (missing == nullptr) return;
    static constexpr std::array<std::string_view, 2> names{"skip", "deny"};
    const auto choice = reader_.choice(*missing, names);
    if (choice == 1) rule_.missing = Rule::Missing::deny;
    if (!can_miss) reader_.warning(*missing, "has no effect: every request has this key");
    if (choice == 1 && rule_.effect == Rule::Effect::shadow) {
      reader_.warning(*missing, "denies nothing: a shadow rule never changes an answer");
    }
  }

  void check_missing(const Value& item, const KeyPart& part) {
    if (section_.find("missing") != nullptr) return;
    reader_.error(item,
                  fmt::format("'{0}': a request may come without; write '{0} | ip', or say "
                              "'missing: skip' (the rule does not apply) or 'missing: deny' (403)",
                              part.to_string()));
  }

  void read_costs() {
    const auto* costs = section_.find("cost");
    if (costs == nullptr) return;
    bool reached = true;
    for (const auto& item : reader_.items(*costs, most_costs)) {
      CostCase each;
      if (item.is_map()) {
        const Section section(reader_, item, {"method", "host", "path", "header", "cidr", "cost"});
        each.when = read_condition(reader_, section);
        const auto* cost = section.find("cost");
        if (cost == nullptr) {
          reader_.error(item, "'cost' is missing: the units that such a request takes");
        }
        if (cost != nullptr) each.cost = reader_.number(*cost, {0, most_cost}).value_or(1);
      } else {
        each.cost = reader_.number(item, {0, most_cost}).value_or(1);
      }
      if (!reached) reader_.warning(item, "is never reached: the cost before it has no conditions");
      reached = reached && !each.when.empty();
      rule_.costs.push_back(std::move(each));
      cost_places_.push_back(item);
    }
  }

  void read_limits() {
    const auto* limits = section_.find("limits");
    const auto store = around_.stores.of_rule(section_, value_);
    if (limits != nullptr) {
      limits_ = read_rule_limits(around_, *limits, store, rule_);
    } else if (!section_.has_faults() && !effect_unknown_) {
      reader_.error(value_, "has neither 'limits' nor 'exempt: true': it would do nothing");
    }
  }

  /// Costs that can never be admitted are most likely slips.
  void check_costs() {
    for (std::size_t at = 0; at < rule_.costs.size(); ++at) {
      for (const auto& [limit, place] : limits_) {
        const auto capacity = limit->limit.limit.capacity();
        if (rule_.costs[at].cost <= capacity) continue;
        reader_.warning(
            cost_places_[at],
            fmt::format("a cost of {} is above the {} units of '{}' at {}: never admitted there",
                        rule_.costs[at].cost, capacity, limit->name, place_text(place)));
      }
    }
  }

  const RulesContext& around_;
  Reader& reader_;
  const Value& value_;
  Section section_;
  Rule rule_;
  bool effect_unknown_ = false;
  std::vector<Value> cost_places_;
  std::vector<PlacedLimit> limits_;
};

}  // namespace

void read_rules(const RulesContext& around, const Value& value) {
  Reader& reader = around.reader;
  if (!value.is_list()) {
    reader.error(value, fmt::format("is {}; a list of rules is wanted", kind_of(*value.node)));
    return;
  }
  auto& rules = around.impl.rules;
  std::map<std::string, Place> names;
  for (const auto& item : reader.items(value, most_rules, Reader::EmptyList::allowed)) {
    Rule rule = RuleReading(around, item).read(static_cast<std::uint32_t>(rules.size()));
    const auto [first, is_new] = names.try_emplace(rule.name, item.place);
    if (!is_new && !rule.name.empty()) {
      reader.error(item, fmt::format("the name '{}' is taken by {} at {}", rule.name,
                                     first->second.field, place_text(first->second)));
    }
    rules.push_back(std::move(rule));
  }
}

}  // namespace weir::rules
