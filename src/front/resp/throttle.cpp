// SPDX-License-Identifier: Apache-2.0
#include "front/resp/throttle.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace weir::front::resp {

namespace {

constexpr std::int64_t most_units = static_cast<std::int64_t>(Limit::most_units);
constexpr std::int64_t longest_period_s =
    std::chrono::duration_cast<std::chrono::seconds>(Limit::longest_period).count();
constexpr std::size_t most_echoed = 128;

Error usage() {
  return Error{
      "Cell error: Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]"};
}

Error not_an_integer(std::string_view text) {
  return Error{"Cell error: Couldn't parse as integer: " +
               std::string(text.substr(0, most_echoed))};
}

Error out_of_range(std::string_view what, std::int64_t least, std::int64_t most) {
  std::string text = "ERR ";
  text.append(what).append(" is out of range: ").append(std::to_string(least));
  return Error{text.append(" to ").append(std::to_string(most))};
}

std::int64_t whole_seconds(Duration time) {
  using std::chrono::seconds;
  return std::chrono::ceil<seconds>(std::min<Duration>(time, never - seconds{1})).count();
}

}  // namespace

bool parse_integer(std::string_view text, std::int64_t& value) noexcept {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc{} && parsed.ptr == end;
}

Result<Throttle> parse_throttle(std::span<const std::string_view> arguments) {
  if (arguments.size() != 4 && arguments.size() != 5) return usage();
  std::array<std::int64_t, 4> numbers{0, 0, 0, 1};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (!parse_integer(arguments[i], numbers[i - 1])) return not_an_integer(arguments[i]);
  }
  const auto [max_burst, count, period_s, quantity] = numbers;
  if (count == 0 || period_s == 0) return Error{"Cell error: Zero rates are not supported"};
  if (max_burst < 0 || max_burst >= most_units) return out_of_range("max_burst", 0, most_units - 1);
  if (count < 0 || count > most_units) return out_of_range("count per period", 1, most_units);
  if (period_s < 0 || period_s > longest_period_s) {
    return out_of_range("period", 1, longest_period_s);
  }
  const auto burst = static_cast<std::uint64_t>(max_burst) + 1;
  const auto units = static_cast<std::uint64_t>(quantity);
  return Throttle{
      .limit = token_bucket(static_cast<std::uint64_t>(count), std::chrono::seconds(period_s))
                   .with_burst(burst),
      .cost = quantity < 0 ? 0 - units : units,
      .verb = quantity < 0 ? Verb::refund : Verb::acquire};
}

void write_throttle(const limiter::Verdict& verdict, Verb verb, wire::resp::Writer& reply) {
  const Decision& decision = verdict.decision;
  const bool limited = verb == Verb::acquire && !decision.allowed;
  const bool waits = limited && decision.retry_after != never;
  const std::array<std::int64_t, 5> values{
      limited ? 1 : 0, static_cast<std::int64_t>(decision.capacity),
      static_cast<std::int64_t>(decision.remaining),
      waits ? whole_seconds(decision.retry_after) : -1, whole_seconds(decision.reset_after)};
  reply.integers(values);
}

}  // namespace weir::front::resp
