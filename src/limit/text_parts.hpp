// SPDX-License-Identifier: Apache-2.0
// What the readers of limits share: numbers, spans of time, and messages about them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <weir/limit.hpp>

namespace weir::text {

inline constexpr std::string_view digits = "0123456789";

[[nodiscard]] std::string join(std::initializer_list<std::string_view> parts);

/// A text from outside as a message has it: in quotes, cut to a length that can be read.
[[nodiscard]] std::string quoted(std::string_view text);

/// `word` in lower case, `-` read as `_`: how it is compared with names for a suggestion.
[[nodiscard]] std::string folded(std::string_view word);

/// Digits only, within 64 bits.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text);

/// A number with a point, in lowest terms: `2.5` is 5 / 2.
struct Fraction {
  std::uint64_t numerator;
  std::uint64_t denominator;
};

/// None where the text is no such number, or one of more than 18 characters.
[[nodiscard]] std::optional<Fraction> fraction(std::string_view text);

/// A number of units of time, as written; either may be empty.
struct Span {
  std::string_view number;
  std::string_view unit;
};

[[nodiscard]] Span split_span(std::string_view text);

/// The length of a span of at most 365 days. One without a number is one unit.
[[nodiscard]] Result<Duration> read_span(const Span& span);

}  // namespace weir::text
