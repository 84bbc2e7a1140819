// SPDX-License-Identifier: Apache-2.0
#include <weir/clock.hpp>

#include <algorithm>

namespace weir {

namespace {

Duration steady_now() noexcept {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

Duration wall_now() noexcept {
  return std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch());
}

}  // namespace

SteadyClock::SteadyClock() noexcept : wall_minus_steady_(wall_now() - steady_now()) {}

Time SteadyClock::now() const noexcept {
  return std::clamp(Time{wall_minus_steady_ + steady_now()}, Time{}, latest_time);
}

const SteadyClock& SteadyClock::shared() noexcept {
  static const SteadyClock clock;
  return clock;
}

void ManualClock::set(Time time) noexcept {
  time = std::min(time, latest_time);
  Time seen = now_.load(std::memory_order_relaxed);
  while (seen < time && !now_.compare_exchange_weak(seen, time, std::memory_order_relaxed)) {
  }
}

}  // namespace weir
