// SPDX-License-Identifier: Apache-2.0
#include "cli/config_file.hpp"

#include <algorithm>
#include <ostream>

#include "redis/options.hpp"

namespace weir::cli {

void check_stores(rules::LoadedConfig& loaded, const std::string& file) {
  if (!loaded.config) return;
  bool all_good = true;
  for (const auto& store : loaded.config->stores) {
    const auto options = redis::parse_url(store.url);
    if (options.ok()) continue;
    all_good = false;
    loaded.problems.push_back(
        {file, store.line, store.column, store.field, options.error(), false});
  }
  if (!all_good) loaded.config.reset();
}

rules::LoadedConfig read_config(const std::string& path, const rules::Overrides& overrides) {
  auto loaded = rules::load_config(path, overrides);
  check_stores(loaded, path);
  return loaded;
}

std::optional<rules::Config> load_or_tell(const std::string& path, std::ostream& err,
                                          const rules::Overrides& overrides) {
  auto loaded = read_config(path, overrides);
  for (const auto& problem : loaded.problems) err << problem.to_string() << '\n';
  return std::move(loaded.config);
}

store::TableOptions table_options(const rules::Config& config) {
  const auto keeps_log = [](const rules::RuleLimit* limit) {
    return limit->limit.shape == Shape::log;
  };
  const bool logs = std::ranges::any_of(config.rules->all_limits(), keeps_log);
  return {.memory_bytes = config.memory_bytes,
          .when_full = config.when_full,
          .log_percent = logs ? store::TableOptions::log_percent_with_logs
                              : store::TableOptions::log_percent_without_logs};
}

}  // namespace weir::cli
