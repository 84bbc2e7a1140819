// SPDX-License-Identifier: Apache-2.0
// `weir simulate`: exact decisions for a file of events, at the times that the events name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/answer.hpp"

namespace weir::cli {

struct SimulateOptions {
  std::string config_file;  ///< empty: the input's first line is the limit, and events name keys
  std::string input;        ///< a file, or `-`
  std::optional<std::string> store_url;               ///< absent: memory, or what the file says
  std::size_t memory_bytes = std::size_t{256} << 20;  ///< for the counters, without a configuration
  Format format = Format::json;
};

/// One answer a line. A bad line ends the run; the lines before it are answered.
[[nodiscard]] int simulate(const SimulateOptions& options, const Streams& streams);

}  // namespace weir::cli
