// SPDX-License-Identifier: Apache-2.0
// `weir replay`: what a configuration would have done to the requests of access logs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/answer.hpp"

namespace weir::cli {

struct ReplayOptions {
  std::string config_file;
  std::vector<std::string> logs;                    ///< files, or `-`
  std::size_t memory_bytes = std::size_t{1} << 30;  ///< for the requests of the logs
  std::size_t top = 10;  ///< how many of the most refused keys are told for each rule
  Format format = Format::text;
};

[[nodiscard]] int replay(const ReplayOptions& options, const Streams& streams);

}  // namespace weir::cli
