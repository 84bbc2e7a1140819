// SPDX-License-Identifier: Apache-2.0
#include "redis/clock_offset.hpp"

#include <algorithm>
#include <charconv>
#include <span>

namespace weir::redis {

void ClockOffset::add(const Sample& sample) noexcept {
  const Known known{sample.store - sample.sent - (sample.received - sample.sent) / 2,
                    sample.received - sample.sent};
  // Two samples of the same clocks are never further apart than their errors and what clocks drift
  // meanwhile. One of the clocks was set: what is known of it is over.
  constexpr Duration most_drift = std::chrono::milliseconds{5};
  const Duration apart = std::chrono::abs(known.offset - best_.offset);
  if (apart > known.round_trip + best_.round_trip + most_drift) count_ = next_ = 0;
  known_[next_] = known;
  next_ = (next_ + 1) % kept;
  count_ = std::min(count_ + 1, kept);
  best_ = *std::ranges::min_element(std::span(known_).first(count_), {}, &Known::round_trip);
}

std::optional<Time> read_time(const wire::resp::Reply& reply) noexcept {
  const auto number = [](std::string_view text) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return {};
    return value;
  };
  if (reply.nodes().size() != 3 || reply.root().size != 2) return {};
  const auto seconds = number(reply[1].text);
  const auto micros = number(reply[2].text);
  constexpr auto latest = std::chrono::floor<std::chrono::seconds>(latest_time).time_since_epoch();
  if (!seconds || !micros || *seconds < 0 || *seconds >= latest.count()) return {};
  if (*micros < 0 || *micros >= 1'000'000) return {};
  return Time{std::chrono::seconds{*seconds} + std::chrono::microseconds{*micros}};
}

}  // namespace weir::redis
