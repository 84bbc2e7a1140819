// SPDX-License-Identifier: Apache-2.0
// What `weir serve` runs with: the file, and the command line that wins over it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/serve.hpp"
#include "rules/config.hpp"

namespace weir::cli {

struct ServeConfig {
  rules::Config config;
  std::vector<std::string> files;  ///< that it was read from
};

/// Loads the file, or without one takes the built-in configuration (no rules; HTTP and RESP on
/// loopback), and puts the command line over it. What is wrong is logged; nothing where it is an
/// error.
[[nodiscard]] std::optional<ServeConfig> serve_config(const ServeOptions& options);

/// Loads a file and logs its problems.
[[nodiscard]] rules::LoadedConfig load_and_log(const std::string& path,
                                               const rules::Overrides& overrides);

}  // namespace weir::cli
