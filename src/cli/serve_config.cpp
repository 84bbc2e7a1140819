// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_config.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "cli/config_file.hpp"

namespace weir::cli {

namespace {

rules::LoadedConfig built_in_config(const rules::Overrides& overrides) {
  auto loaded = rules::parse_config("listen: {http: '127.0.0.1:8080', resp: '127.0.0.1:6380'}\n",
                                    "", overrides);
  loaded.files.clear();
  check_stores(loaded, "");
  return loaded;
}

rules::LoadedConfig log_problems(rules::LoadedConfig loaded) {
  for (const auto& problem : loaded.problems) {
    spdlog::log(problem.warning ? spdlog::level::warn : spdlog::level::err, "{}",
                problem.to_string());
  }
  return loaded;
}

void put_over(std::vector<std::string>& doors, const std::vector<std::string>& given) {
  if (!given.empty()) doors = given;
}

void put_over(rules::Config& config, const ServeOptions& options) {
  put_over(config.listen.http, options.http);
  put_over(config.listen.resp, options.resp);
  put_over(config.listen.grpc, options.grpc);
  put_over(config.listen.admin, options.admin);
  if (options.state_file) config.state_file = *options.state_file;
  if (options.memory_bytes) config.memory_bytes = *options.memory_bytes;
}

}  // namespace

rules::LoadedConfig load_and_log(const std::string& path, const rules::Overrides& overrides) {
  return log_problems(read_config(path, overrides));
}

std::optional<ServeConfig> serve_config(const ServeOptions& options) {
  auto loaded = options.config_file.empty() ? log_problems(built_in_config(options.overrides))
                                            : load_and_log(options.config_file, options.overrides);
  if (!loaded.config) return std::nullopt;
  put_over(*loaded.config, options);
  return ServeConfig{std::move(*loaded.config), std::move(loaded.files)};
}

}  // namespace weir::cli
