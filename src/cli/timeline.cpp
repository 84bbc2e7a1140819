// SPDX-License-Identifier: Apache-2.0
#include "cli/timeline.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "cli/spelled.hpp"

namespace weir::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto round_steps = std::to_array<Duration>(
    {1s, 2s, 5s, 10s, 15s, 30s, 1min, 2min, 5min, 10min, 15min, 30min, 1h, 2h, 3h, 6h, 12h, 24h});
constexpr Duration week = 7 * 24h;

constexpr std::size_t widest_bar = 40;

std::int64_t index_of(Time time, Duration step) { return time.time_since_epoch() / step; }

std::size_t steps_of(const Timeline::Span& span, Duration step) {
  return static_cast<std::size_t>(index_of(span.last, step) - index_of(span.first, step) + 1);
}

Duration step_for(const Timeline::Span& span) {
  for (const auto step : round_steps) {
    if (steps_of(span, step) <= Timeline::most_steps) return step;
  }
  Duration step = week;
  while (steps_of(span, step) > Timeline::most_steps) step += week;
  return step;
}

/// The length of a bar: nothing only for nothing.
std::size_t bar_length(std::uint64_t count, std::uint64_t most) {
  return count == 0 ? 0 : std::max<std::size_t>(1, count * widest_bar / most);
}

}  // namespace

Timeline::Timeline(const Span& span)
    : step_(step_for(span)),
      first_index_(index_of(span.first, step_)),
      steps_(steps_of(span, step_)) {}

void Timeline::count(Time time, bool admitted) noexcept {
  auto& step = steps_[static_cast<std::size_t>(index_of(time, step_) - first_index_)];
  (admitted ? step.admitted : step.refused) += 1;
}

Time Timeline::start_of(std::size_t index) const noexcept {
  return Time{step_ * (first_index_ + static_cast<std::int64_t>(index))};
}

void Timeline::draw(std::ostream& out) const {
  std::uint64_t most = 1;
  for (const auto& step : steps_) most = std::max(most, step.admitted + step.refused);
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const auto& [admitted, refused] = steps_[at];
    const auto bar =
        std::string(bar_length(admitted, most), '#') + std::string(bar_length(refused, most), 'x');
    fmt::print(out, "{}  {:<{}}  {:>11}  {:>11}\n", spelled(start_of(at)), bar, widest_bar + 1,
               grouped(admitted), grouped(refused));
  }
}

}  // namespace weir::cli
