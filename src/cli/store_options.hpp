// SPDX-License-Identifier: Apache-2.0
// From what a configuration says of a store to how it is reached.
#pragma once

#include <optional>
#include <vector>

#include "base/key.hpp"
#include "redis/options.hpp"
#include "rules/config.hpp"

namespace weir::cli {

/// How a store of a checked configuration is reached.
[[nodiscard]] redis::Options options_of(const rules::StoreConfig& config);

/// What keys are hashed with where stores are shared: every instance has to do it alike. Nothing
/// where none is shared.
[[nodiscard]] std::optional<KeySecret> shared_secret(const std::vector<rules::StoreConfig>& stores);

}  // namespace weir::cli
