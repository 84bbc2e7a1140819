// SPDX-License-Identifier: Apache-2.0
#include "cli/config_file.hpp"

#include <algorithm>
#include <ostream>

namespace weir::cli {

std::optional<rules::Config> load_or_tell(const std::string& path, std::ostream& err) {
  auto loaded = rules::load_config(path);
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
