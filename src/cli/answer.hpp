// SPDX-License-Identifier: Apache-2.0
// How a command answers: where to, in which form, and with which exit code.
#pragma once

#include <cstdint>
#include <iosfwd>

namespace weir::cli {

/// `--format`: for people, or JSON for programs.
enum class Format : std::uint8_t { text, json };

/// Answers go out, everything else (problems, progress, logs) goes to err.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;  ///< somebody is watching
};

/// What the process ends with.
inline constexpr int exit_done = 0;
inline constexpr int exit_no = 1;     ///< the answer is no: a bad file, a failed check
inline constexpr int exit_usage = 2;  ///< the command line is wrong

}  // namespace weir::cli
