// SPDX-License-Identifier: Apache-2.0
// The JSON that POST /v1/check answers with.
#pragma once

#include <string>

#include "limiter/engine.hpp"

namespace weir::front {

/// Appends one result. Durations are whole nanoseconds, null for never. `hits` says whether every
/// limit that was met is listed.
void append_check_result(const limiter::Verdict& verdict, bool hits, std::string& out);

}  // namespace weir::front
