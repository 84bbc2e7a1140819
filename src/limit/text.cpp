// SPDX-License-Identifier: Apache-2.0
// Reads limits, and explains what it can't read.
#include "limit/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <vector>

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

constexpr std::array<Synonym, 24> unit_synonyms{
    {{"sec", "s"},    {"secs", "s"},    {"second", "s"},       {"seconds", "s"},
     {"m", "min"},    {"mins", "min"},  {"minute", "min"},     {"minutes", "min"},
     {"hr", "h"},     {"hrs", "h"},     {"hour", "h"},         {"hours", "h"},
     {"d", "day"},    {"days", "day"},  {"w", "week"},         {"wk", "week"},
     {"mo", "month"}, {"mon", "month"}, {"y", "year"},         {"yr", "year"},
     {"msec", "ms"},  {"millis", "ms"}, {"millisecond", "ms"}, {"milliseconds", "ms"}}};

constexpr std::array<std::string_view, 7> algorithm_names{
    "token_bucket", "gcra",        "leaky_bucket",   "leaky_queue",
    "fixed_window", "sliding_log", "sliding_counter"};
constexpr std::array algorithms{Algorithm::token_bucket,   Algorithm::token_bucket,
                                Algorithm::token_bucket,   Algorithm::leaky_queue,
                                Algorithm::fixed_window,   Algorithm::sliding_log,
                                Algorithm::sliding_counter};

constexpr std::string_view digits = "0123456789";

// A text from outside goes into a message cut to a length that can be read.
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return "'" + std::string(text) + "'";
  return "'" + std::string(text.substr(0, longest)) + "...'";
}

Error about(std::string_view text, const std::string& what) { return {quoted(text) + ": " + what}; }

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return lower;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// A number as written: `2.5` is 25 / 10.
struct Decimal {
  std::uint64_t numerator;
  std::uint64_t denominator;
};

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Decimal> decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  constexpr std::size_t most_digits = 18;
  if (point == std::string_view::npos || text.size() > most_digits) return std::nullopt;
  const std::string all = std::string(text.substr(0, point)) + std::string(text.substr(point + 1));
  const auto numerator = whole_number(all);
  if (!numerator) return std::nullopt;
  std::uint64_t denominator = 1;
  for (std::size_t i = point + 1; i < text.size(); ++i) denominator *= 10;
  const std::uint64_t divisor = std::gcd(*numerator, denominator);
  return Decimal{*numerator / divisor, denominator / divisor};
}

/// A count or a burst; `field` is what the message calls it.
struct CountText {
  std::string_view field;
  std::string_view text;
};

Result<std::uint64_t> read_count(const CountText& count) {
  const std::string field = std::string(count.field) + ": ";
  const std::string_view text = count.text;
  if (text.empty()) return Error{field + "a whole number is missing"};
  const bool all_digits = text.find_first_not_of(digits) == std::string_view::npos;
  const auto number = whole_number(text);
  if (all_digits && (!number || *number > Limit::most_units)) {
    return Error{field + quoted(text) + " is above " + std::to_string(Limit::most_units)};
  }
  if (number) return *number;
  if (text.front() == '-' && text.find_first_not_of(digits, 1) == std::string_view::npos) {
    return Error{field + quoted(text) + " is negative; the least is 0, which admits nothing"};
  }
  std::string without_separators(text);
  std::erase_if(without_separators, [](char c) { return c == ',' || c == '_' || c == '\''; });
  const bool mends = text.front() != '-' && whole_number(without_separators);
  return Error{field + quoted(text) + " is not a whole number" +
               (mends ? "; write '" + without_separators + "'" : "")};
}

const Unit* find_unit(std::string_view name) {
  const auto found = std::ranges::find(units, name, &Unit::name);
  return found == units.end() ? nullptr : &*found;
}

Error unknown_unit(std::string_view word) {
  const std::string lower = lower_case(word);
  std::string mend;
  const auto synonym = std::ranges::find(unit_synonyms, lower, &Synonym::written);
  if (synonym != unit_synonyms.end()) {
    mend = "; did you mean '" + std::string(synonym->meant) + "'?";
  } else {
    constexpr std::array<std::string_view, 8> names{"ms",  "s",    "min",   "h",
                                                    "day", "week", "month", "year"};
    mend = did_you_mean(word, names);
  }
  if (mend.empty()) mend = "; units are ms, s, min, h, day, week, month, year";
  return {"unknown unit " + quoted(word) + mend};
}

/// A number of units of time, as written.
struct SpanText {
  std::string_view number;
  std::string_view unit;
};

SpanText split_span(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  return {text.substr(0, end), text.substr(end)};
}

Error not_whole(const SpanText& span, const Unit& unit) {
  const auto number = decimal(span.number);
  if (number) {
    const auto unit_ns = static_cast<std::uint64_t>(unit.length.count());
    const auto ns = static_cast<unsigned __int128>(number->numerator) * unit_ns;
    const auto most = static_cast<std::uint64_t>(Limit::longest_period.count());
    if (ns % number->denominator == 0 && ns > 0 && ns / number->denominator <= most) {
      const Duration length{static_cast<std::int64_t>(ns / number->denominator)};
      const std::string text = period_text(length);
      return {"'" + std::string(span.number) + "' is not a whole number; write '" +
              (text.find_first_of(digits) == 0 ? "" : "1") + text + "'"};
    }
  }
  return {quoted(span.number) + " is not a whole number"};
}

Result<Duration> read_span(const SpanText& span) {
  if (span.unit.empty()) {
    return Error{"a unit is missing; write '" + std::string(span.number.substr(0, 20)) + "s'"};
  }
  const Unit* unit = find_unit(span.unit);
  if (unit == nullptr) return unknown_unit(span.unit);
  if (span.number.empty()) return unit->length;
  if (span.number.find('.') != std::string_view::npos) return not_whole(span, *unit);
  const auto number = whole_number(span.number);
  if (!number || *number > static_cast<std::uint64_t>(Limit::longest_period / unit->length)) {
    return Error{quoted(std::string(span.number) + std::string(span.unit)) + " is above 365 days"};
  }
  return unit->length * static_cast<std::int64_t>(*number);
}

Result<Duration> read_period(std::string_view text) {
  if (text.empty()) return Error{"the period is missing; a rate is COUNT/PERIOD, such as 10/s"};
  const Result<Duration> period = read_span(split_span(text));
  if (!period) return Error{"period: " + period.error()};
  if (*period < Limit::shortest_period) return Error{"period: " + quoted(text) + " is under 1ms"};
  return *period;
}

// `2.5/s` is `5/2s`.
std::optional<std::string> whole_rate(std::string_view count, Duration period) {
  const auto number = decimal(count);
  if (!number || number->numerator > Limit::most_units) return std::nullopt;
  const auto most = static_cast<std::uint64_t>(Limit::longest_period / period);
  if (number->denominator > most) return std::nullopt;
  const Duration longer = period * static_cast<std::int64_t>(number->denominator);
  return std::to_string(number->numerator) + "/" + period_text(longer);
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view blanks = " \t";
  for (std::size_t begin = text.find_first_not_of(blanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(blanks, end);
  }
  return words;
}

std::optional<Algorithm> find_algorithm(std::string_view name) {
  const auto found = std::ranges::find(algorithm_names, name);
  if (found == algorithm_names.end()) return std::nullopt;
  return algorithms[static_cast<std::size_t>(found - algorithm_names.begin())];
}

// What follows the rate: `[burst N] [ALGORITHM]`, in either order.
std::optional<Error> read_options(std::span<const std::string_view> words, LimitParts& parts) {
  bool named = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto algorithm = find_algorithm(words[i]);
    if (words[i] == "burst" && !parts.burst) {
      const auto burst = read_count({"burst", i + 1 < words.size() ? words[i + 1] : ""});
      if (!burst) return Error{burst.error()};
      parts.burst = *burst;
      ++i;
    } else if (algorithm && !named) {
      parts.algorithm = *algorithm;
      named = true;
    } else if (words[i] == "burst" || algorithm) {
      return Error{quoted(words[i]) + (algorithm ? ": a second algorithm" : " stands there twice")};
    } else {
      std::vector<std::string_view> names(algorithm_names.begin(), algorithm_names.end());
      names.push_back("burst");
      return Error{"unknown word " + quoted(words[i]) + did_you_mean(words[i], names)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::size_t longest = 64;
  if (word.size() > longest) return "";
  const std::string lower = lower_case(word);
  std::string_view nearest;
  std::size_t least = 1 + std::max<std::size_t>(1, word.size() / 3);
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(lower, name);
    if (distance < least && distance < name.size()) {
      least = distance;
      nearest = name;
    }
  }
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

std::string period_text(Duration period) {
  const auto divides = [&](const Unit& unit) { return period % unit.length == Duration{}; };
  const Unit& unit = *std::ranges::find_if(units, divides);
  const auto number = period / unit.length;
  return (number == 1 ? "" : std::to_string(number)) + std::string(unit.name);
}

Result<Rate> parse_rate(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return about(text, "the period is missing; a rate is COUNT/PERIOD, such as 10/s");
  }
  const std::string_view count_text = text.substr(0, slash);
  const Result<Duration> period = read_period(text.substr(slash + 1));
  const Result<std::uint64_t> count = read_count({"count", count_text});
  if (!count) {
    const auto mend = period ? whole_rate(count_text, *period) : std::nullopt;
    return about(text, count.error() + (mend ? "; write '" + *mend + "'" : ""));
  }
  if (!period) return about(text, period.error());
  return Rate{*count, *period};
}

Result<std::uint64_t> parse_burst(std::string_view text) {
  const Result<std::uint64_t> burst = read_count({"burst", text});
  if (!burst) return about(text, burst.error());
  if (*burst == 0) return about(text, "burst: the least is 1");
  return *burst;
}

Result<Algorithm> parse_algorithm(std::string_view text) {
  if (const auto algorithm = find_algorithm(text)) return *algorithm;
  std::string mend = did_you_mean(text, algorithm_names);
  if (mend.empty()) {
    mend = "; algorithms are token_bucket, leaky_queue, fixed_window, sliding_log, sliding_counter";
  }
  return Error{"unknown algorithm " + quoted(text) + mend};
}

Result<Duration> parse_duration(std::string_view text) {
  const SpanText span = split_span(text);
  if (span.number.empty()) {
    return about(text, "a duration is a number and a unit, such as 10s or 250ms");
  }
  const Result<Duration> duration = read_span(span);
  if (!duration) return about(text, duration.error());
  return *duration;
}

Result<Limit> make_limit(const LimitParts& parts) {
  const Limit limit(parts.algorithm, parts.rate.count, parts.rate.period);
  if (!parts.burst) return limit;
  if (!limit.has_burst()) {
    return Error{"burst: a " + std::string(to_string(parts.algorithm)) +
                 " has none; it belongs to token_bucket and leaky_queue"};
  }
  if (*parts.burst == 0) return Error{"burst: the least is 1"};
  return limit.with_burst(*parts.burst);
}

Result<Limit> Limit::parse(std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  if (words.empty()) return about(text, "a limit is COUNT/PERIOD, such as 10/s");
  const Result<Rate> rate = parse_rate(words.front());
  if (!rate) return Error{rate.error()};
  LimitParts parts{.rate = *rate, .burst = {}, .algorithm = Algorithm::token_bucket};
  if (const auto error = read_options(std::span(words).subspan(1), parts)) {
    return about(text, error->message);
  }
  const Result<Limit> limit = make_limit(parts);
  if (!limit) return about(text, limit.error());
  return *limit;
}

}  // namespace weir
