// SPDX-License-Identifier: Apache-2.0
#include "rules/rule_set.hpp"

#include <algorithm>
#include <tuple>

#include "rules/compiled_rules.hpp"

namespace weir::rules {

namespace {

/// One pass of a request through the rules.
class Matching {
 public:
  Matching(const RuleSet::Impl& impl, const Request& request, const KeySecret& secret, Match& match)
      : impl_(impl), view_(request, impl.trust, match.scratch), key_(secret), match_(match) {}

  void run() {
    auto& candidates = match_.scratch.candidates;
    impl_.index.find(view_.path(), candidates);
    auto pathless = impl_.pathless.begin();
    for (const auto& candidate : candidates) {
      for (; pathless != impl_.pathless.end() && *pathless < candidate.rule; ++pathless) {
        if (!apply(impl_.rules[*pathless], nullptr)) return;
      }
      const Rule& rule = impl_.rules[candidate.rule];
      if (!apply(rule, &rule.when.paths[candidate.pattern])) return;
    }
    for (; pathless != impl_.pathless.end(); ++pathless) {
      if (!apply(impl_.rules[*pathless], nullptr)) return;
    }
  }

 private:
  /// False where the verdict is found and no further rule counts.
  bool apply(const Rule& rule, const PathPattern* route) {
    if (rule.when.first_failing_beside_path(view_, rule.strictness()) != Failing::nothing) {
      return true;
    }
    if (rule.effect == Rule::Effect::exempt) return end(Match::Verdict::exempt, rule);
    if (!make_key(rule, route)) {
      const bool denies =
          rule.missing == Rule::Missing::deny && rule.effect == Rule::Effect::enforced;
      return denies ? end(Match::Verdict::forbidden, rule) : true;
    }
    const auto& limits = rule.limits_of(rule.plan_limits.empty() ? Plans::default_plan : plan());
    if (limits.empty()) return true;
    const std::uint64_t cost = view_.request().cost ? *view_.request().cost : rule.cost_of(view_);
    const auto key = static_cast<std::uint16_t>(match_.keys.size());
    match_.keys.push_back(key_.key());
    for (const auto* limit : limits) match_.hits.push_back({limit, cost, rule.part, key});
    return true;
  }

  bool end(Match::Verdict verdict, const Rule& rule) {
    match_.verdict = verdict;
    match_.rule = &rule.name;
    match_.hits.clear();
    match_.keys.clear();
    return false;
  }

  bool make_key(const Rule& rule, const PathPattern* route) {
    key_.clear();
    const KeyContext context{view_, route, impl_.plans.known_values()};
    return std::all_of(rule.key.begin(), rule.key.end(),
                       [&](const KeyPart& part) { return add_to_key(part, context, key_); });
  }

  std::uint32_t plan() {
    if (!plan_) plan_ = impl_.plans.plan_of_request(view_);
    return *plan_;
  }

  const RuleSet::Impl& impl_;
  RequestView view_;
  KeyBuilder key_;
  Match& match_;
  std::optional<std::uint32_t> plan_;
};

}  // namespace

std::uint64_t Rule::cost_of(RequestView& view) const {
  for (const auto& each : costs) {
    if (each.when.first_failing(view, Strictness::loose) == Failing::nothing) return each.cost;
  }
  return 1;
}

const LimitList& Rule::limits_of(std::uint32_t plan) const noexcept {
  for (const auto& [number, list] : plan_limits) {
    if (number == plan) return list;
  }
  return limits;
}

void PathIndex::add(const PathPattern& pattern, RuleCandidate candidate) {
  by_prefix_[std::string(pattern.literal_prefix())].push_back({&pattern, candidate});
  deepest_ = std::max(deepest_, pattern.literal_segments());
}

void PathIndex::find(const NormalPath& path, std::vector<RuleCandidate>& found) const {
  found.clear();
  if (by_prefix_.empty()) return;
  const auto& segments = path.segments();
  std::size_t bytes = 0;
  for (std::size_t depth = 0; depth <= std::min(segments.size(), deepest_); ++depth) {
    if (depth > 0) bytes += segments[depth - 1].size() + 1;
    const auto entries = by_prefix_.find(path.text().substr(0, bytes));
    if (entries == by_prefix_.end()) continue;
    for (const auto& entry : entries->second) {
      if (entry.pattern->matches_rest(segments)) found.push_back(entry.candidate);
    }
  }
  const auto before = [](const RuleCandidate& a, const RuleCandidate& b) {
    return std::tie(a.rule, a.pattern) < std::tie(b.rule, b.pattern);
  };
  const auto same_rule = [](const RuleCandidate& a, const RuleCandidate& b) {
    return a.rule == b.rule;
  };
  std::sort(found.begin(), found.end(), before);
  found.erase(std::unique(found.begin(), found.end(), same_rule), found.end());
}

std::uint32_t Plans::plan_of_request(RequestView& view) const {
  if (!by) return default_plan;
  const KeyContext context{view, nullptr, known_values()};
  for (const auto& source : by->sources) {
    const auto value = value_of(source, context);
    if (!value) continue;
    const auto plan = plan_of.find(*value);
    return plan == plan_of.end() ? default_plan : plan->second;
  }
  return default_plan;
}

void RuleSet::Impl::finish() {
  std::stable_sort(rules.begin(), rules.end(),
                   [](const Rule& a, const Rule& b) { return a.effect < b.effect; });
  std::uint16_t part = 0;
  for (std::uint32_t at = 0; at < rules.size(); ++at) {
    Rule& rule = rules[at];
    if (rule.effect == Rule::Effect::shadow) rule.part = ++part;
    if (rule.when.paths.empty()) pathless.push_back(at);
    for (std::uint32_t pattern = 0; pattern < rule.when.paths.size(); ++pattern) {
      index.add(rule.when.paths[pattern], {at, pattern});
    }
  }
}

RuleSet::RuleSet(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}

RuleSet::~RuleSet() = default;

void RuleSet::match(const Request& request, const KeySecret& secret, Match& match) const {
  match.clear();
  Matching(*impl_, request, secret, match).run();
}

const RuleLimit* RuleSet::named_limit(std::string_view name) const noexcept {
  const auto found = impl_->named.find(name);
  return found == impl_->named.end() ? nullptr : found->second;
}

const std::optional<StorePlace>& RuleSet::asked_store() const noexcept {
  return impl_->asked_store;
}

std::span<const RuleLimit* const> RuleSet::all_limits() const noexcept { return impl_->all; }

std::optional<Address> RuleSet::client_address(const Request& request) const noexcept {
  return impl_->trust.client_of(request);
}

}  // namespace weir::rules
