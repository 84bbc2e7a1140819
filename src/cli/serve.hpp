// SPDX-License-Identifier: Apache-2.0
// `weir serve`: opens the doors and answers until it is told to stop.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/answer.hpp"
#include "rules/config.hpp"

namespace weir::cli {

/// The command line of `weir serve`. What is given here wins over the file; what is empty or absent
/// is the file's, and without a file the default's.
struct ServeOptions {
  std::string config_file;
  std::vector<std::string> http, resp, grpc, admin;  ///< `host:port`, `:port` or `unix:PATH`
  std::optional<std::string> state_file;
  rules::Overrides overrides;
  std::optional<std::size_t> memory_bytes;
  Format format = Format::text;
};

/// Serves until SIGTERM or SIGINT. Logs go to stderr; which doors are open is said on stdout.
/// Returns the exit code.
[[nodiscard]] int serve(const ServeOptions& options);

}  // namespace weir::cli
