// SPDX-License-Identifier: Apache-2.0
// `weir check`: every error and warning of configuration files.
#pragma once

#include <string>
#include <vector>

#include "cli/answer.hpp"

namespace weir::cli {

struct CheckOptions {
  std::vector<std::string> files;
  Format format = Format::text;
};

/// The answer is no where any file has an error.
[[nodiscard]] int check(const CheckOptions& options, const Streams& streams);

}  // namespace weir::cli
