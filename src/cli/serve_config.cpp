// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_config.hpp"

#include <spdlog/spdlog.h>

namespace weir::cli {

namespace {

std::optional<rules::Config> file_config(const std::string& path) {
  auto loaded = rules::load_config(path);
  for (const auto& problem : loaded.problems) {
    problem.warning ? spdlog::warn("{}", problem.to_string())
                    : spdlog::error("{}", problem.to_string());
  }
  return std::move(loaded.config);
}

rules::Config built_in_config() {
  return rules::parse_config("listen: {http: '127.0.0.1:8080', resp: '127.0.0.1:6380'}\n",
                             "built-in configuration")
      .config.value();
}

}  // namespace

std::optional<rules::Config> serve_config(const ServeOptions& options) {
  auto config = options.config_file.empty() ? built_in_config() : file_config(options.config_file);
  if (!config) return config;
  const auto put_over = [](std::vector<std::string>& doors, const std::vector<std::string>& given) {
    if (!given.empty()) doors = given;
  };
  put_over(config->listen.http, options.http);
  put_over(config->listen.resp, options.resp);
  put_over(config->listen.grpc, options.grpc);
  put_over(config->listen.admin, options.admin);
  if (options.state_file) config->state_file = *options.state_file;
  if (options.store_url) config->store_url = *options.store_url;
  if (options.memory_bytes) config->memory_bytes = *options.memory_bytes;
  return config;
}

}  // namespace weir::cli
