// SPDX-License-Identifier: Apache-2.0
// What `weir serve` runs with: the file, and the command line that wins over it.
#pragma once

#include <optional>

#include "cli/serve.hpp"
#include "rules/config.hpp"

namespace weir::cli {

/// Loads the file, or without one takes the built-in configuration (no rules; HTTP and RESP on
/// loopback), and puts the command line over it. What is wrong is logged; nothing where it is an
/// error.
[[nodiscard]] std::optional<rules::Config> serve_config(const ServeOptions& options);

}  // namespace weir::cli
