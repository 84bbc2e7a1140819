// SPDX-License-Identifier: Apache-2.0
// The command line as values: what is asked for, or the words with which the process ends.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/answer.hpp"
#include "cli/check.hpp"
#include "cli/explain.hpp"
#include "cli/limits.hpp"
#include "cli/replay.hpp"
#include "cli/serve.hpp"
#include "cli/simulate.hpp"

namespace weir::cli {

/// The command line is answered by itself: help, the version, or what is wrong with it.
struct Ended {
  int exit_code = exit_done;
  std::string out;
  std::string err;
};

using Command = std::variant<Ended, ServeOptions, CheckOptions, ExplainOptions, SimulateOptions,
                             ReplayOptions, LimitsOptions>;

/// Reads the arguments behind the program's name.
[[nodiscard]] Command parse_command_line(std::vector<std::string> arguments);

}  // namespace weir::cli
