// SPDX-License-Identifier: Apache-2.0
// The pages for operators: /healthz, /readyz and /metrics, the same on every door that has them.
#pragma once

#include <string>
#include <string_view>

#include "front/http_answer.hpp"
#include "front/metrics.hpp"

namespace weir::front {

/// What the pages are called, for messages.
inline constexpr std::string_view page_names = "GET /healthz, GET /readyz and GET /metrics";

/// Where the request names one of the pages, appends the answer to it, also to a method that pages
/// do not have. False where it names none.
[[nodiscard]] bool answer_page(const HttpRequest& request, const StatusSource& source,
                               std::string_view date, std::string& out);

}  // namespace weir::front
