// SPDX-License-Identifier: Apache-2.0
// Numbers and spans of time, read strictly.
#include "limit/text_parts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "limit/text.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

struct Unit {
  std::string_view name;
  Duration length;
};

constexpr std::array<Unit, 10> units{{{"year", Limit::longest_period},
                                      {"month", 24h * 30},
                                      {"week", 24h * 7},
                                      {"day", 24h},
                                      {"h", 1h},
                                      {"min", 1min},
                                      {"s", 1s},
                                      {"ms", 1ms},
                                      {"us", 1us},
                                      {"ns", 1ns}}};

/// What people write where a unit is wanted.
struct Synonym {
  std::string_view written;
  std::string_view meant;
};

constexpr std::array<Synonym, 24> synonyms{
    {{"sec", "s"},    {"secs", "s"},    {"second", "s"},       {"seconds", "s"},
     {"m", "min"},    {"mins", "min"},  {"minute", "min"},     {"minutes", "min"},
     {"hr", "h"},     {"hrs", "h"},     {"hour", "h"},         {"hours", "h"},
     {"d", "day"},    {"days", "day"},  {"w", "week"},         {"wk", "week"},
     {"mo", "month"}, {"mon", "month"}, {"y", "year"},         {"yr", "year"},
     {"msec", "ms"},  {"millis", "ms"}, {"millisecond", "ms"}, {"milliseconds", "ms"}}};

std::string mended_unit(std::string_view word) {
  const auto synonym = std::ranges::find(synonyms, text::folded(word), &Synonym::written);
  if (synonym != synonyms.end()) return text::join({"; did you mean '", synonym->meant, "'?"});
  constexpr std::array<std::string_view, 8> names{"ms",  "s",    "min",   "h",
                                                  "day", "week", "month", "year"};
  const std::string mend = did_you_mean(word, names);
  return mend.empty() ? "; units are ms, s, min, h, day, week, month, year" : mend;
}

// The whole span that is as long as one with a point: `1.5h` is `90min`.
std::string whole_span(std::string_view number, Duration unit) {
  const auto value = text::fraction(number);
  if (!value || value->numerator == 0) return "";
  const auto unit_ns = static_cast<std::uint64_t>(unit.count());
  const auto most_ns = static_cast<std::uint64_t>(Limit::longest_period.count());
  if (unit_ns % value->denominator != 0) return "";
  const std::uint64_t part_ns = unit_ns / value->denominator;
  if (value->numerator > most_ns / part_ns) return "";
  const std::string whole =
      period_text(Duration{static_cast<std::int64_t>(part_ns * value->numerator)});
  const bool has_number = whole.find_first_of(text::digits) == 0;
  return text::join({"; write '", has_number ? "" : "1", whole, "'"});
}

}  // namespace

namespace text {

std::string join(std::initializer_list<std::string_view> parts) {
  std::string joined;
  for (const std::string_view part : parts) joined += part;
  return joined;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  return join({"'", text.substr(0, longest), text.size() > longest ? "...'" : "'"});
}

std::string folded(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return lower;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::optional<Fraction> fraction(std::string_view text) {
  constexpr std::size_t longest = 18;
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || text.size() > longest) return std::nullopt;
  const auto numerator = whole_number(join({text.substr(0, point), text.substr(point + 1)}));
  if (!numerator) return std::nullopt;
  std::uint64_t denominator = 1;
  for (std::size_t i = point + 1; i < text.size(); ++i) denominator *= 10;
  const std::uint64_t divisor = std::gcd(*numerator, denominator);
  return Fraction{*numerator / divisor, denominator / divisor};
}

Span split_span(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  return {text.substr(0, end), text.substr(end)};
}

Result<Duration> read_span(const Span& span) {
  if (span.unit.empty())
    return Error{join({"a unit is missing; write ", quoted(join({span.number, "s"}))})};
  const auto unit = std::ranges::find(units, span.unit, &Unit::name);
  if (unit == units.end()) {
    return Error{join({"unknown unit ", quoted(span.unit), mended_unit(span.unit)})};
  }
  if (span.number.empty()) return unit->length;
  if (span.number.find('.') != std::string_view::npos) {
    return Error{join(
        {quoted(span.number), " is not a whole number", whole_span(span.number, unit->length)})};
  }
  const auto number = whole_number(span.number);
  if (!number || *number > static_cast<std::uint64_t>(Limit::longest_period / unit->length)) {
    return Error{
        join({quoted(join({span.number, span.unit})), " is above the longest period, 365 days"})};
  }
  return unit->length * static_cast<std::int64_t>(*number);
}

}  // namespace text

std::string period_text(Duration period) {
  const auto divides = [&](const Unit& unit) { return period % unit.length == Duration{}; };
  const Unit& unit = *std::ranges::find_if(units, divides);
  const auto number = period / unit.length;
  return text::join({number == 1 ? "" : std::to_string(number), unit.name});
}

}  // namespace weir
