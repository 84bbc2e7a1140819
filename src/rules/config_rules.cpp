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

/// The second of two limits can never be the one that refuses.
bool outdoes(const Limit& first, const Limit& second) {
  return first.algorithm() == second.algorithm() && first.period() == second.period() &&
         first.count() <= second.count() && first.capacity() <= second.capacity();
}

std::string place_text(const Place& place) {
  return fmt::format("{}:{}", place.line, place.column);
}

/// Reads one rule.
class RuleReading {
 public:
  RuleReading(Reader& reader, const Value& value, const NamedLimits& limits, PlanNames& plans,
              RuleSet::Impl& impl)
      : reader_(reader),
        value_(value),
        section_(reader, value,
                 {"name", "match", "key", "missing", "cost", "limits", "exempt", "shadow"}),
        named_(limits),
        plans_(plans),
        impl_(impl) {}

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
      if (value_.is_map())
        reader_.error(value_, "'name' is missing: answers, metrics and counters go by it");
      return;
    }
    const auto text = reader_.text(*name, "a name");
    if (text && reader_.check_name(*name, *text)) rule_.name = *text;
  }

  bool flag(std::string_view key) {
    const auto* value = section_.find(key);
    return value != nullptr && reader_.boolean(*value).value_or(false);
  }

  void read_effect() {
    const bool shadow = flag("shadow");
    const bool exempt = flag("exempt");
    if (exempt && shadow)
      reader_.error(*section_.find("shadow"), "an exempting rule can't be a shadow");
    if (exempt)
      rule_.effect = Rule::Effect::exempt;
    else if (shadow)
      rule_.effect = Rule::Effect::shadow;
  }

  void check_exempt() {
    for (const auto* key : {"key", "missing", "cost", "limits"}) {
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
    const KeySurroundings around{!rule_.when.paths.empty(), impl_.plans.has_map};
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
        if (cost == nullptr)
          reader_.error(item, "'cost' is missing: the units that such a request takes");
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
    if (limits == nullptr) {
      reader_.error(value_, "has neither 'limits' nor 'exempt: true': it would do nothing");
      return;
    }
    const bool for_plans =
        limits->is_map() && std::none_of(limits->node->entries.begin(), limits->node->entries.end(),
                                         [](const auto& entry) {
                                           return entry.first->text == "rate" ||
                                                  entry.first->text == "burst";
                                         });
    if (for_plans)
      read_plan_lists(*limits);
    else
      rule_.limits = read_list(*limits);
  }

  void read_plan_lists(const Value& value) {
    const auto entries = reader_.entries(value, "limits by plan");
    if (!plans_.is_set()) {
      reader_.error(value, "names plans, but there is no 'plans' that says who has which");
    }
    bool has_default = false;
    for (const auto& [name, list] : entries) {
      if (!reader_.check_name(list, name)) continue;
      const auto plan = plans_.number_of(name, list.place);
      has_default |= plan == Plans::default_plan;
      auto limits = read_list(list);
      if (plan == Plans::default_plan)
        rule_.limits = std::move(limits);
      else
        rule_.plan_limits.emplace_back(plan, std::move(limits));
    }
    if (!has_default && plans_.is_set()) {
      reader_.error(value, fmt::format("the default plan '{}' is missing", plans_.default_name()));
    }
  }

  LimitList read_list(const Value& value) {
    LimitList list;
    if (value.is_text() && value.node->text == "unlimited") return list;
    std::vector<FileLimit> read;
    for (const auto& item : reader_.items(value, most_limits_of_rule)) {
      auto limit = read_item(item);
      if (!limit) continue;
      check_beside(item, *limit, read);
      list.push_back(keep(item, *limit));
      read.push_back(std::move(*limit));
    }
    return list;
  }

  std::optional<FileLimit> read_item(const Value& item) {
    const bool is_name =
        item.is_text() && !item.node->text.empty() && !is_digit(item.node->text.front());
    if (!is_name) return read_limit(reader_, item, true);
    const auto& name = item.node->text;
    if (name == "unlimited") {
      reader_.error(item, "'unlimited' is a list of its own and stands alone");
      return {};
    }
    const auto found = named_.find(name);
    if (found != named_.end()) return FileLimit{name, found->second.limit, item.place};
    std::vector<std::string_view> names;
    for (const auto& [each, limit] : named_) names.push_back(each);
    const auto mend = did_you_mean(name, names);
    reader_.error(item,
                  fmt::format("'{}': no limit has this name, and it is no rate such as 10/s{}",
                              shown(name), mend));
    return {};
  }

  void check_beside(const Value& item, const FileLimit& limit,
                    const std::vector<FileLimit>& others) {
    for (const auto& other : others) {
      if (other.name == limit.name || other.limit == limit.limit) {
        reader_.error(
            item,
            fmt::format("'{}': is the same limit as '{}' at {}; one limit stands once in a rule",
                        limit.name, other.name, place_text(other.place)));
      } else if (outdoes(other.limit, limit.limit) || outdoes(limit.limit, other.limit)) {
        const bool first = outdoes(other.limit, limit.limit);
        reader_.error(
            item,
            fmt::format(
                "'{}' and '{}' at {} differ only in their size: '{}' never decides; remove it",
                limit.name, other.name, place_text(other.place), first ? limit.name : other.name));
      }
    }
  }

  /// The rule's limit of that name; the same one wherever the rule names it.
  const RuleLimit* keep(const Value& item, const FileLimit& limit) {
    for (const auto& [kept, place] : kept_) {
      if (kept->name != limit.name) continue;
      if (kept->limit.limit != limit.limit) {
        reader_.error(
            item, fmt::format("'{}': has other numbers at {}; within a rule one name is one limit",
                              limit.name, place_text(place)));
      }
      return kept;
    }
    impl_.limits.push_back({.name = limit.name,
                            .rule = rule_.name,
                            .limit = CompiledLimit(limit.limit),
                            .shadow = rule_.effect == Rule::Effect::shadow,
                            .index = static_cast<std::uint32_t>(impl_.limits.size())});
    impl_.all.push_back(&impl_.limits.back());
    kept_.emplace_back(&impl_.limits.back(), item.place);
    return kept_.back().first;
  }

  /// Costs that can never be admitted are most likely slips.
  void check_costs() {
    for (std::size_t at = 0; at < rule_.costs.size(); ++at) {
      for (const auto& [limit, place] : kept_) {
        const auto capacity = limit->limit.limit.capacity();
        if (rule_.costs[at].cost <= capacity) continue;
        reader_.warning(
            cost_places_[at],
            fmt::format("a cost of {} is above the {} units of '{}' at {}: never admitted there",
                        rule_.costs[at].cost, capacity, limit->name, place_text(place)));
      }
    }
  }

  Reader& reader_;
  const Value& value_;
  Section section_;
  const NamedLimits& named_;
  PlanNames& plans_;
  RuleSet::Impl& impl_;
  Rule rule_;
  std::vector<Value> cost_places_;
  std::vector<std::pair<const RuleLimit*, Place>> kept_;
};

}  // namespace

void read_rules(Reader& reader, const Value& value, const NamedLimits& limits, PlanNames& plans,
                RuleSet::Impl& impl) {
  if (!value.is_list()) {
    reader.error(value, fmt::format("is {}; a list of rules is wanted", kind_of(*value.node)));
    return;
  }
  std::map<std::string, Place> names;
  for (const auto& item : reader.items(value, most_rules)) {
    auto rule = RuleReading(reader, item, limits, plans, impl)
                    .read(static_cast<std::uint32_t>(impl.rules.size()));
    const auto [first, is_new] = names.try_emplace(rule.name, item.place);
    if (!is_new && !rule.name.empty()) {
      reader.error(item, fmt::format("the name '{}' is taken by {} at {}", rule.name,
                                     first->second.field, place_text(first->second)));
    }
    impl.rules.push_back(std::move(rule));
  }
}

}  // namespace weir::rules
