// SPDX-License-Identifier: Apache-2.0
// Reads limits, and explains what it can't read.
#include "limit/text.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "limit/text_parts.hpp"

namespace weir {
namespace {

using text::join;
using text::quoted;

constexpr std::array<std::string_view, 7> algorithm_names{
    "token_bucket", "gcra",        "leaky_bucket",   "leaky_queue",
    "fixed_window", "sliding_log", "sliding_counter"};
constexpr std::array<Algorithm, algorithm_names.size()> algorithms{
    Algorithm::token_bucket,   Algorithm::token_bucket, Algorithm::token_bucket,
    Algorithm::leaky_queue,    Algorithm::fixed_window, Algorithm::sliding_log,
    Algorithm::sliding_counter};

Error about(std::string_view text, std::string_view what) {
  return {join({quoted(text), ": ", what})};
}

bool all_digits(std::string_view text) {
  return text.find_first_not_of(text::digits) == std::string_view::npos;
}

/// A number of units, as messages call it, and the least that it may be.
struct Field {
  std::string_view name;
  std::uint64_t least;
  std::string_view least_is;
};

constexpr Field count_field{"count", 0, "the least is 0, which admits nothing"};
constexpr Field burst_field{"burst", 1, "the least is 1"};

// `1,000` and `1_000` are 1000.
std::string without_separators(std::string_view text) {
  std::string plain(text);
  std::erase_if(plain, [](char c) { return c == ',' || c == '_' || c == '\''; });
  return text::whole_number(plain) ? join({"; write '", plain, "'"}) : "";
}

std::string wrong_units(const Field& field, std::string_view text) {
  if (text.empty()) return "a whole number is missing";
  if (all_digits(text)) {
    const bool too_small = text::whole_number(text).value_or(field.least) < field.least;
    if (too_small) return std::string(field.least_is);
    return join({quoted(text), " is above ", std::to_string(Limit::most_units)});
  }
  if (text.front() == '-' && all_digits(text.substr(1))) {
    return join({quoted(text), " is negative; ", field.least_is});
  }
  return join({quoted(text), " is not a whole number", without_separators(text)});
}

Result<std::uint64_t> read_units(const Field& field, std::string_view text) {
  const auto number = text::whole_number(text);
  if (number && *number >= field.least && *number <= Limit::most_units) return *number;
  return Error{join({field.name, ": ", wrong_units(field, text)})};
}

Result<Duration> read_period(std::string_view text) {
  if (text.empty()) return Error{"the period is missing; a rate is COUNT/PERIOD, such as 10/s"};
  const Result<Duration> period = text::read_span(text::split_span(text));
  if (!period) return period;
  if (*period < Limit::shortest_period) {
    return Error{join({"period: ", quoted(text), " is under 1ms"})};
  }
  return *period;
}

// The whole rate that is the same as one with a point: `2.5/s` is `5/2s`.
std::string whole_rate(std::string_view count, Duration period) {
  const auto value = text::fraction(count);
  if (!value || value->numerator > Limit::most_units) return "";
  const auto most = static_cast<std::uint64_t>(Limit::longest_period / period);
  if (value->denominator > most) return "";
  const Duration longer = period * static_cast<std::int64_t>(value->denominator);
  return join({"; write '", std::to_string(value->numerator), "/", period_text(longer), "'"});
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

// What may follow a rate, `[burst N] [ALGORITHM]`, in either order.
struct Options {
  std::optional<std::uint64_t> burst;
  std::optional<Algorithm> algorithm;
};

Error unwanted_word(std::string_view word) {
  if (word == "burst") return {"a second burst"};
  if (find_algorithm(word)) return {join({"a second algorithm, ", quoted(word)})};
  std::vector<std::string_view> names(algorithm_names.begin(), algorithm_names.end());
  names.push_back("burst");
  return {join({"unknown word ", quoted(word), did_you_mean(word, names)})};
}

Result<Options> read_options(std::span<const std::string_view> words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto algorithm = find_algorithm(words[i]);
    if (algorithm && !options.algorithm) {
      options.algorithm = algorithm;
    } else if (words[i] == "burst" && !options.burst) {
      ++i;
      const auto burst = read_units(burst_field, i < words.size() ? words[i] : "");
      if (!burst) return Error{burst.error()};
      options.burst = *burst;
    } else {
      return unwanted_word(words[i]);
    }
  }
  return options;
}

}  // namespace

Result<Rate> parse_rate(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return about(text, "the period is missing; a rate is COUNT/PERIOD, such as 10/s");
  }
  const std::string_view count_text = text.substr(0, slash);
  const Result<std::uint64_t> count = read_units(count_field, count_text);
  const Result<Duration> period = read_period(text.substr(slash + 1));
  if (!count) {
    return about(text, join({count.error(), period ? whole_rate(count_text, *period) : ""}));
  }
  if (!period) return about(text, period.error());
  return Rate{*count, *period};
}

Result<std::uint64_t> parse_burst(std::string_view text) { return read_units(burst_field, text); }

Result<Algorithm> parse_algorithm(std::string_view text) {
  if (const auto algorithm = find_algorithm(text)) return *algorithm;
  std::string mend = did_you_mean(text, algorithm_names);
  if (mend.empty()) {
    mend = "; algorithms are token_bucket, leaky_queue, fixed_window, sliding_log, sliding_counter";
  }
  return Error{join({"unknown algorithm ", quoted(text), mend})};
}

Result<Duration> parse_duration(std::string_view text) {
  const text::Span span = text::split_span(text);
  if (span.number.empty()) {
    return about(text, "a duration is a number and a unit, such as 10s or 250ms");
  }
  const Result<Duration> duration = text::read_span(span);
  if (!duration) return about(text, duration.error());
  return *duration;
}

Result<Limit> make_limit(const LimitParts& parts) {
  const Limit limit(parts.algorithm, parts.rate.count, parts.rate.period);
  if (!parts.burst) return limit;
  if (!limit.has_burst()) {
    return Error{join({"burst: a ", to_string(parts.algorithm),
                       " has none; it belongs to token_bucket and leaky_queue"})};
  }
  if (*parts.burst < burst_field.least) return Error{join({"burst: ", burst_field.least_is})};
  return limit.with_burst(*parts.burst);
}

Result<Limit> Limit::parse(std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  if (words.empty()) return about(text, "a limit is COUNT/PERIOD, such as 10/s");
  const Result<Rate> rate = parse_rate(words.front());
  if (!rate) return Error{rate.error()};
  const Result<Options> options = read_options(std::span(words).subspan(1));
  if (!options) return about(text, options.error());
  const auto algorithm = options->algorithm.value_or(Algorithm::token_bucket);
  const Result<Limit> limit = make_limit({*rate, options->burst, algorithm});
  if (!limit) return about(text, limit.error());
  return *limit;
}

}  // namespace weir
