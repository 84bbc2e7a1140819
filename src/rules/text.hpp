// SPDX-License-Identifier: Apache-2.0
// ASCII text without locale: letters, blanks, and cutting at a separator.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace weir::rules {

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
[[nodiscard]] constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
[[nodiscard]] constexpr bool is_letter(char c) noexcept { return is_upper(c) || is_lower(c); }
[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
[[nodiscard]] constexpr char to_lower(char c) noexcept {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] constexpr char to_upper(char c) noexcept {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

/// A character of a token: the names of methods, headers and cookies (RFC 9110, 5.6.2).
[[nodiscard]] constexpr bool is_token_char(char c) noexcept {
  return is_letter(c) || is_digit(c) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
[[nodiscard]] constexpr bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view left,
                                                  std::string_view right) noexcept {
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(),
                    [](char a, char b) { return to_lower(a) == to_lower(b); });
}

[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), to_lower);
  return result;
}

[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Cuts what stands before the first `separator` off `rest` and returns it; all of it where there
/// is none.
[[nodiscard]] constexpr std::string_view cut_first(std::string_view& rest,
                                                   char separator) noexcept {
  const auto at = rest.find(separator);
  const auto first = rest.substr(0, at);
  rest = at == rest.npos ? std::string_view{} : rest.substr(at + 1);
  return first;
}

}  // namespace weir::rules
