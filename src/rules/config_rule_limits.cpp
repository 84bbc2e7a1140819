// SPDX-License-Identifier: Apache-2.0
// The limits of a rule: one list for everybody, or a list for each plan.
#include <algorithm>

#include <fmt/format.h>

#include "limit/text.hpp"
#include "rules/config_reading.hpp"
#include "rules/text.hpp"

namespace weir::rules {

namespace {

/// The second of two limits can never be the one that refuses.
bool outdoes(const Limit& first, const Limit& second) {
  return first.algorithm() == second.algorithm() && first.period() == second.period() &&
         first.count() <= second.count() && first.capacity() <= second.capacity();
}

/// Reads the limits of one rule.
class RuleLimitsReading {
 public:
  RuleLimitsReading(const RulesContext& around, const std::optional<StorePlace>& store, Rule& rule)
      : reader_(around.reader),
        store_(store),
        named_(around.limits),
        plans_(around.plans),
        impl_(around.impl),
        rule_(rule) {}

  [[nodiscard]] std::vector<PlacedLimit> read(const Value& value) {
    const bool for_plans =
        value.is_map() &&
        std::none_of(value.node->entries.begin(), value.node->entries.end(), [](const auto& entry) {
          return entry.first->text == "rate" || entry.first->text == "burst";
        });
    if (for_plans) {
      read_plan_lists(value);
    } else {
      rule_.limits = read_list(value);
      if (is_unlimited(value)) reader_.warning(value, "limits nothing: 'unlimited' is for plans");
    }
    return std::move(kept_);
  }

 private:
  static bool is_unlimited(const Value& value) {
    return value.is_text() && value.node->text == "unlimited";
  }

  void read_plan_lists(const Value& value) {
    const auto entries = reader_.entries(value, "limits by plan");
    if (!plans_.is_set() && !impl_.plans.by) {
      reader_.error(value, "names plans, but there is no 'plans' that says who has which");
    }
    bool has_default = false;
    for (const auto& [name, list] : entries) {
      if (!reader_.check_name(list, name)) continue;
      const auto plan = plans_.number_of(name, list.place);
      has_default |= plan == Plans::default_plan;
      auto limits = read_list(list);
      if (plan == Plans::default_plan) {
        rule_.limits = std::move(limits);
      } else {
        rule_.plan_limits.emplace_back(plan, std::move(limits));
      }
    }
    if (!has_default && plans_.is_set()) {
      reader_.error(value, fmt::format("the default plan '{}' is missing", plans_.default_name()));
    }
  }

  LimitList read_list(const Value& value) {
    LimitList list;
    if (is_unlimited(value)) return list;
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
    if (found != named_.end()) {
      auto limit = found->second;
      if (limit) limit->place = item.place;
      return limit;
    }
    reader_.error(item,
                  fmt::format("'{}': no limit has this name, and it is no rate such as 10/s{}",
                              shown(name), mend_of(name)));
    return {};
  }

  std::string mend_of(std::string_view name) {
    if (reader_.problems().has_enough()) return {};
    std::vector<std::string_view> names;
    for (const auto& [each, limit] : named_) names.push_back(each);
    return did_you_mean(name, names);
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
                            .shared = shared_in(store_, limit.limit),
                            .index = static_cast<std::uint32_t>(impl_.limits.size())});
    impl_.all.push_back(&impl_.limits.back());
    kept_.push_back({&impl_.limits.back(), item.place});
    return kept_.back().limit;
  }

  Reader& reader_;
  const std::optional<StorePlace>& store_;
  const NamedLimits& named_;
  PlanNames& plans_;
  RuleSet::Impl& impl_;
  Rule& rule_;
  std::vector<PlacedLimit> kept_;
};

}  // namespace

std::string place_text(const Place& place) {
  return fmt::format("{}:{}", place.line, place.column);
}

std::vector<PlacedLimit> read_rule_limits(const RulesContext& around, const Value& value,
                                          const std::optional<StorePlace>& store, Rule& rule) {
  return RuleLimitsReading(around, store, rule).read(value);
}

}  // namespace weir::rules
