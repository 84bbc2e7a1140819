// SPDX-License-Identifier: Apache-2.0
// Limits as people write them: rates, bursts, algorithms and durations. What can't be read is
// answered by an error that quotes it, names the part that is wrong and says what would be right.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <weir/limit.hpp>

namespace weir {

struct Rate {
  std::uint64_t count;
  Duration period;
  friend constexpr bool operator==(const Rate&, const Rate&) = default;
};

/// `COUNT/PERIOD`: `10/s`, `100/15min`, `1/250ms`. The number before a period's unit is 1 where it
/// is left out; the units are `ms s min h day week month year`, a month has 30 days, a year 365.
/// Also `us` and `ns`, so that every limit's text can be read back.
[[nodiscard]] Result<Rate> parse_rate(std::string_view text);

/// A whole number from 1 to `Limit::most_units`.
[[nodiscard]] Result<std::uint64_t> parse_burst(std::string_view text);

/// An algorithm's name, or another name for the token bucket: `gcra`, `leaky_bucket`.
[[nodiscard]] Result<Algorithm> parse_algorithm(std::string_view text);

/// A number and a unit, `10s` or `250ms`, from nothing (`0s`) to 365 days.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

/// What the long form of a limit names.
struct LimitParts {
  Rate rate;
  std::optional<std::uint64_t> burst;
  Algorithm algorithm = Algorithm::token_bucket;
};

/// The limit of these parts, which come from the parsers above. An error where they don't go
/// together.
[[nodiscard]] Result<Limit> make_limit(const LimitParts& parts);

/// `period` in its largest whole unit, as a rate has it: `s`, `15min`, `1500us`.
[[nodiscard]] std::string period_text(Duration period);

/// "; did you mean 'x'?" with the name nearest to `word`, or nothing where none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> names);

}  // namespace weir
