// SPDX-License-Identifier: Apache-2.0
// Text as a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace weir::front {

/// Appends `text` to `out` in quotes, with what JSON wants escaped. A byte that is no part of valid
/// UTF-8 becomes U+FFFD, so that what is appended is always valid.
void append_json_string(std::string_view text, std::string& out);

}  // namespace weir::front
