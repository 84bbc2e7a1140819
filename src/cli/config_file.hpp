// SPDX-License-Identifier: Apache-2.0
// A configuration as the commands take it from its file.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "rules/config.hpp"
#include "store/table.hpp"

namespace weir::cli {

/// Loads a configuration. What is wrong with it is told to `err`; nothing where that is any error.
[[nodiscard]] std::optional<rules::Config> load_or_tell(const std::string& path, std::ostream& err);

/// The table that the configuration's counters live in.
[[nodiscard]] store::TableOptions table_options(const rules::Config& config);

}  // namespace weir::cli
