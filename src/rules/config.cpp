// SPDX-License-Identifier: Apache-2.0
#include "rules/config.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "rules/config_reading.hpp"

namespace weir::rules {

namespace {

/// What only the plans and all rules together show: a plan that one side names and the other
/// doesn't.
void check_plans(Reader& reader, const RuleSet::Impl& impl, const PlanNames& names) {
  Problems& problems = reader.problems();
  const Plans& plans = impl.plans;
  if (plans.names.size() > most_plans) {
    problems.error({},
                   fmt::format("{} plans; at most {} are allowed", plans.names.size(), most_plans));
  }
  if (!plans.has_map || problems.error_count() > 0) return;
  std::set<std::uint32_t> had{Plans::default_plan}, limited{Plans::default_plan};
  for (const auto& [value, plan] : plans.plan_of) had.insert(plan);
  for (const auto& rule : impl.rules) {
    for (const auto& [plan, limits] : rule.plan_limits) limited.insert(plan);
  }
  for (const auto& [name, plan] : names.numbers()) {
    if (!had.contains(plan)) {
      problems.warning(names.place_of(plan), fmt::format("nobody has the plan '{}'", shown(name)));
    } else if (!limited.contains(plan)) {
      problems.warning(names.place_of(plan),
                       fmt::format("no rule names the plan '{}': it gets the limits of '{}'",
                                   shown(name), names.default_name()));
    }
  }
}

/// A request that meets too many limits is decided by none of them: rules that always apply
/// together must not be that many.
void check_count(Reader& reader, const RuleSet::Impl& impl) {
  std::size_t count = 0;
  for (const auto& rule : impl.rules) {
    if (rule.when.empty()) count += rule.limits.size();
  }
  if (count > most_limits_of_request) {
    reader.problems().error(
        {}, fmt::format("every request would meet {} limits; at most {} are decided together",
                        count, most_limits_of_request));
  }
}

void add_named_limits(const NamedLimits& limits, RuleSet::Impl& impl) {
  for (const auto& [name, limit] : limits) {
    if (!limit) continue;
    impl.limits.push_back({.name = name,
                           .rule = {},
                           .limit = CompiledLimit(limit->limit),
                           .shadow = false,
                           .shared = shared_in(impl.asked_store, limit->limit),
                           .index = static_cast<std::uint32_t>(impl.limits.size())});
    impl.all.push_back(&impl.limits.back());
    impl.named.emplace(name, &impl.limits.back());
  }
}

std::shared_ptr<const RuleSet> read_rule_set(Reader& reader, const Section& root, Stores& stores,
                                             std::vector<std::string>& files) {
  auto impl = std::make_unique<RuleSet::Impl>();
  PlanNames plan_names(impl->plans);
  NamedLimits limits;
  if (const auto* value = root.find("clients")) impl->trust = read_clients(reader, *value);
  if (const auto* value = root.find("plans")) read_plans(reader, *value, impl->plans, plan_names);
  if (const auto* value = root.find("limits")) limits = read_named_limits(reader, *value);
  if (const auto* value = root.find("rules")) {
    read_rules({reader, stores, limits, plan_names, *impl}, *value);
  }
  if (!impl->plans.file.empty()) files.push_back(impl->plans.file);
  check_plans(reader, *impl, plan_names);
  check_count(reader, *impl);
  if (!impl->plans.has_map) {
    for (const auto& [name, number] : plan_names.numbers()) {
      impl->plans.plan_of.emplace(name, number);
    }
  }
  impl->asked_store = stores.of_asked();
  add_named_limits(limits, *impl);
  impl->finish();
  return std::make_shared<const RuleSet>(std::move(impl));
}

}  // namespace

LoadedConfig parse_config(std::string_view text, const std::string& file,
                          const Overrides& overrides) {
  Problems problems(file);
  LoadedConfig loaded;
  loaded.files.push_back(file);
  if (const auto document = Document::parse(text, problems)) {
    Reader reader(problems);
    const Node& node = document->root();
    const Section root(reader, {&node, {node.line, node.column, {}}},
                       {"listen", "store", "on_store_failure", "memory", "state", "clients",
                        "plans", "limits", "rules", "loops", "headers", "connections", "resp"});
    Config config;
    read_server(reader, root, config);
    Stores stores(reader, overrides, config.stores);
    stores.read(root);
    config.rules = read_rule_set(reader, root, stores, loaded.files);
    if (problems.error_count() == 0) loaded.config = std::move(config);
  }
  loaded.problems = problems.take();
  return loaded;
}

LoadedConfig load_config(const std::string& path, const Overrides& overrides) {
  const auto fail = [&path](std::string why) {
    return LoadedConfig{{}, {Problem{path, 0, 0, {}, std::move(why), false}}, {path}};
  };
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return fail("is a directory; a file is wanted");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail("can't be read: is it there, and may it be read?");
  std::string text(Document::most_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) return fail("can't be read to its end");
  if (text.size() > Document::most_bytes) {
    return fail(
        fmt::format("has more than {} bytes, the most of a configuration", Document::most_bytes));
  }
  return parse_config(text, path, overrides);
}

}  // namespace weir::rules
