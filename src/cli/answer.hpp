// SPDX-License-Identifier: Apache-2.0
// How a command answers: in which form, and with which exit code.
#pragma once

#include <cstdint>

namespace weir::cli {

/// `--format`: for people, or one JSON value (or one a line) for programs.
enum class Format : std::uint8_t { text, json };

/// What the process ends with.
inline constexpr int exit_done = 0;
inline constexpr int exit_no = 1;     ///< the answer is no: a bad file, a failed check
inline constexpr int exit_usage = 2;  ///< the command line is wrong

}  // namespace weir::cli
