// SPDX-License-Identifier: Apache-2.0
// A configuration as the commands take it from its file.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "rules/config.hpp"
#include "store/table.hpp"

namespace weir::cli {

/// Loads a configuration, with the URLs of its stores checked.
[[nodiscard]] rules::LoadedConfig read_config(const std::string& path,
                                              const rules::Overrides& overrides = {});

/// Loads a configuration. What is wrong with it is told to `err`; nothing where that is any error.
[[nodiscard]] std::optional<rules::Config> load_or_tell(const std::string& path, std::ostream& err,
                                                        const rules::Overrides& overrides = {});

/// The problems that only a store's URL shows; without them the configuration is taken.
void check_stores(rules::LoadedConfig& loaded, const std::string& file);

/// The table that the configuration's counters live in.
[[nodiscard]] store::TableOptions table_options(const rules::Config& config);

}  // namespace weir::cli
