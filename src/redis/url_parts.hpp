// SPDX-License-Identifier: Apache-2.0
// A URL as text: its parts, and what stands for other bytes in them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::redis {

/// A URL cut at its signs. Nothing is decoded yet.
struct UrlParts {
  std::string_view scheme, user_info, authority, path, query;
  bool has_user_info = false;
};

/// Nothing where there is no scheme. A password may hold any sign but `?`, so the last `@` ends it;
/// a unix socket's path may hold an `@` itself.
[[nodiscard]] std::optional<UrlParts> cut_url(std::string_view url);

/// With `%40` and the like as the bytes that they stand for. Nothing where one lacks its digits.
[[nodiscard]] std::optional<std::string> decoded(std::string_view text);

}  // namespace weir::redis
