// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_config.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace weir::cli {

namespace {

rules::LoadedConfig built_in_config() {
  auto loaded =
      rules::parse_config("listen: {http: '127.0.0.1:8080', resp: '127.0.0.1:6380'}\n", "");
  loaded.files.clear();
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
  if (options.store_url) config.store_url = *options.store_url;
  if (options.memory_bytes) config.memory_bytes = *options.memory_bytes;
}

}  // namespace

rules::LoadedConfig load_and_log(const std::string& path) {
  auto loaded = rules::load_config(path);
  for (const auto& problem : loaded.problems) {
    spdlog::log(problem.warning ? spdlog::level::warn : spdlog::level::err, "{}",
                problem.to_string());
  }
  return loaded;
}

std::optional<ServeConfig> serve_config(const ServeOptions& options) {
  auto loaded = options.config_file.empty() ? built_in_config() : load_and_log(options.config_file);
  if (!loaded.config) return std::nullopt;
  put_over(*loaded.config, options);
  return ServeConfig{std::move(*loaded.config), std::move(loaded.files)};
}

}  // namespace weir::cli
