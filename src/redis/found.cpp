// SPDX-License-Identifier: Apache-2.0
#include "redis/found.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "limit/window.hpp"
#include "redis/bucket_scale.hpp"

namespace weir::redis {
namespace {

/// Reads decimal numbers with a colon between them: how many, or nothing where the text is
/// something else or holds more.
std::optional<std::size_t> read_numbers(std::string_view text,
                                        std::span<std::uint64_t> numbers) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t count = 0; count < numbers.size(); ++at) {
    const auto [rest, error] = std::from_chars(at, end, numbers[count++]);
    if (error != std::errc{} || numbers[count - 1] > most_number) return std::nullopt;
    if (rest == end) return count;
    if (*rest != ':') return std::nullopt;
    at = rest;
  }
  return std::nullopt;
}

std::uint64_t big_endian(std::string_view bytes) noexcept {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

WideState wide_of(Uint128 bits) noexcept {
  return {static_cast<std::uint64_t>(bits), static_cast<std::uint64_t>(bits >> 64)};
}

/// hi; hi and three digits of lo; or hi:lo (scripts/kinds.lua).
bool read_instant(std::uint64_t base, std::string_view text, HiLo& instant) noexcept {
  std::array<std::uint64_t, 2> numbers{};
  if (base > 1 && base <= 1000) {
    if (text.size() < 4) return false;
    const auto hi = read_numbers(text.substr(0, text.size() - 3), std::span(numbers).first(1));
    const auto lo = read_numbers(text.substr(text.size() - 3), std::span(numbers).last(1));
    instant = {numbers[0], numbers[1]};
    return hi && lo && instant.lo < base;
  }
  const auto count = read_numbers(text, numbers);
  instant = {numbers[0], numbers[1]};
  return count && *count == (base == 1 ? 1u : 2u) && instant.lo < base;
}

bool read_bucket(const CompiledLimit& limit, std::string_view text, Found& found) noexcept {
  const BucketScale scale(limit);
  HiLo instant;
  if (!read_instant(scale.base(), text, instant)) return false;
  if (limit.shape == Shape::word) {
    found.word = scale.ticks<std::int64_t>(instant);
  } else if (limit.limit.count() == 0) {
    found.wide.lo = instant.hi;
  } else {
    found.wide = wide_of(static_cast<Uint128>(scale.ticks<Int128>(instant)));
  }
  return true;
}

bool read_window(const CompiledLimit& limit, Placed placed, Time now, std::string_view text,
                 Found& found) noexcept {
  if (placed == Placed::packed) {
    std::array<std::uint64_t, 2> numbers{};
    const auto count = read_numbers(text, numbers);
    found.wide = {.lo = numbers[1], .hi = numbers[0]};
    return count && *count == 2;
  }
  if (text.size() != 4 && text.size() != 12) return false;
  const std::uint64_t left = big_endian(text.substr(0, 4));
  const std::uint64_t debt = big_endian(text.substr(4));
  if (left > limit.limit.count() || debt > most_number) return false;
  found.wide.lo = limit.limit.count() - left + debt;
  found.wide.hi = static_cast<std::uint64_t>(now.time_since_epoch() / limit.limit.period());
  return true;
}

bool read_counter(std::string_view text, Found& found) noexcept {
  std::array<std::uint64_t, 3> numbers{};
  const auto count = read_numbers(text, numbers);
  const auto [window, current, previous] = numbers;
  constexpr std::uint64_t most = SlidingCounter::most_units;
  if (!count || *count != 3 || window >> 44 != 0 || current > most || previous > most) {
    return false;
  }
  found.wide = {.lo = window << 42 | current, .hi = window >> 22 << 42 | previous};
  return true;
}

bool read_log(std::string_view text, Found& found) noexcept {
  std::array<std::uint64_t, 3> numbers{};
  const auto count = read_numbers(text, numbers);
  constexpr auto longest = static_cast<std::uint64_t>(Duration::max().count() / 1000);
  if (!count || *count != 3 || numbers[1] > longest || numbers[2] > longest) return false;
  const auto us = [](std::uint64_t number) {
    return std::chrono::microseconds{static_cast<std::int64_t>(number)};
  };
  found.log = {.used = numbers[0], .reset = us(numbers[1]), .wait = us(numbers[2])};
  return true;
}

Duration up_to_us(Duration wait) noexcept {
  using std::chrono::microseconds;
  constexpr Duration last = std::chrono::floor<microseconds>(Duration::max());
  return wait > last ? never : std::chrono::ceil<microseconds>(wait);
}

Decision answer_log(const CompiledLimit& limit, Verb verb, std::uint64_t cost,
                    const FoundLog& log) noexcept {
  const std::uint64_t most = limit.limit.count();
  const bool fits = cost <= most && log.used <= most - cost;
  const bool adds = takes(verb, fits) && cost > 0;
  Decision decision = verdict(limit, verb, fits);
  if (!decision.allowed) decision.retry_after = cost > most ? never : log.wait;
  decision.remaining = units_left(most, adds ? log.used + std::min(cost, most) : log.used);
  decision.reset_after = adds ? limit.limit.period() : log.reset;
  return decision;
}

Decision answer_exactly(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now,
                        Found& found) noexcept {
  switch (limit.shape) {
    case Shape::word: return step(limit, verb, cost, now, found.word);
    case Shape::wide: return step(limit, verb, cost, now, found.wide);
    case Shape::log: break;
  }
  return answer_log(limit, verb, cost, found.log);
}

}  // namespace

bool read_found(const CompiledLimit& limit, Placed placed, Time now, std::string_view text,
                Found& found) noexcept {
  switch (limit.limit.algorithm()) {
    case Algorithm::fixed_window: return read_window(limit, placed, now, text, found);
    case Algorithm::sliding_counter: return read_counter(text, found);
    case Algorithm::sliding_log: return read_log(text, found);
    default: return read_bucket(limit, text, found);
  }
}

std::uint64_t used_units(const CompiledLimit& limit, Time now, const Found& found) noexcept {
  switch (limit.shape) {
    case Shape::word: return weir::used_units(limit, now, found.word);
    case Shape::wide: return weir::used_units(limit, now, found.wide);
    case Shape::log: break;
  }
  return found.log.used;
}

Decision answer(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now,
                Found found) noexcept {
  Decision decision = answer_exactly(limit, verb, cost, now, found);
  decision.authority = Authority::shared;
  decision.retry_after = up_to_us(decision.retry_after);
  decision.reset_after = up_to_us(decision.reset_after);
  decision.delay = up_to_us(decision.delay);
  return decision;
}

}  // namespace weir::redis
