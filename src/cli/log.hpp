// SPDX-License-Identifier: Apache-2.0
// How a serving process logs: to the standard error, for people or as one JSON object a line.
#pragma once

#include "cli/answer.hpp"

namespace weir::cli {

/// Makes spdlog's default logger this process's log.
///
///     weir: http listening on 127.0.0.1:8080
///     weir: warning: weir.yaml:3:1: ...
void log_to_stderr(Format format);

}  // namespace weir::cli
