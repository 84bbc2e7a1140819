// SPDX-License-Identifier: Apache-2.0
// The arithmetic of windows aligned to the epoch.
#include "limit/window.hpp"

namespace weir {
namespace {

/// Where an instant stands among the windows of one period.
struct Place {
  std::uint64_t window;   // how many windows ended before this one
  std::uint64_t left_ns;  // until this one ends: 1 to the period
};

std::uint64_t period_ns(const CompiledLimit& limit) noexcept {
  return static_cast<std::uint64_t>(limit.limit.period().count());
}

/// A time before the window last seen counts as that window's start.
Place place_of(Time now, std::uint64_t last_seen, std::uint64_t period) noexcept {
  const auto since_epoch = static_cast<std::uint64_t>(now.time_since_epoch().count());
  const std::uint64_t window = since_epoch / period;
  if (window < last_seen) return {last_seen, period};
  return {window, period - since_epoch % period};
}

Duration to_duration(std::uint64_t ns) noexcept { return Duration{static_cast<std::int64_t>(ns)}; }

Time window_start(std::uint64_t window, std::uint64_t period) noexcept {
  return Time{to_duration(window * period)};
}

}  // namespace

Decision FixedWindow::step(Verb verb, std::uint64_t cost, Time now,
                           WideState& state) const noexcept {
  const std::uint64_t most = limit_.limit.count();
  const Place place = place_of(now, state.hi, period_ns(limit_));
  const std::uint64_t before = state.hi == place.window ? state.lo : 0;
  const bool fits = cost <= most && before <= most - cost;

  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t after = used_after(verb, fits, before, cost, largest);
  if (after != before) state = {after, place.window};

  Decision decision = verdict(limit_, verb, fits);
  decision.remaining = units_left(most, after);
  decision.reset_after = to_duration(place.left_ns);
  if (!decision.allowed) decision.retry_after = cost > most ? never : decision.reset_after;
  return decision;
}

Time FixedWindow::idle_from(const WideState& state) const noexcept {
  return state.lo == 0 ? Time{} : window_start(state.hi + 1, period_ns(limit_));
}

std::uint64_t FixedWindow::used_units(Time now, const WideState& state) const noexcept {
  return place_of(now, state.hi, period_ns(limit_)).window == state.hi ? state.lo : 0;
}

// The state unpacked, and moved on to the window of the present.
struct SlidingCounter::Counts {
  std::uint64_t window;
  std::uint64_t current;
  std::uint64_t previous;
  std::uint64_t faded;  // what of `previous` still counts, in whole units
  std::uint64_t left_ns;
  std::uint64_t period;

  static constexpr int count_bits = 42;
  static constexpr int window_bits = 64 - count_bits;

  static std::uint64_t window_of(const WideState& state) noexcept {
    return (state.hi >> count_bits) << window_bits | state.lo >> count_bits;
  }

  Counts(const WideState& state, Time now, std::uint64_t period_in) noexcept : period(period_in) {
    const std::uint64_t last = window_of(state);
    const Place place = place_of(now, last, period);
    const std::uint64_t last_count = state.lo & most_units;
    window = place.window;
    left_ns = place.left_ns;
    current = window == last ? last_count : 0;
    previous = window == last ? state.hi & most_units : window == last + 1 ? last_count : 0;
    faded = static_cast<std::uint64_t>(Uint128{previous} * left_ns / period);
  }

  [[nodiscard]] WideState packed() const noexcept {
    return {window << count_bits | current, (window >> window_bits) << count_bits | previous};
  }

  [[nodiscard]] std::uint64_t estimate() const noexcept { return faded + current; }

  // What may be left of a period for `units`, fading out over it, to have become `most` whole ones
  // at most: the largest x with floor(units * x / period) <= most.
  [[nodiscard]] std::uint64_t left_for(std::uint64_t units, std::uint64_t most) const noexcept {
    if (units <= most) return period;
    return static_cast<std::uint64_t>(((Uint128{most} + 1) * period - 1) / units);
  }

  // How long until the estimate is `most` at most: the present window's end if it must, and the
  // next one's, over which the present count fades.
  [[nodiscard]] std::uint64_t wait_ns(std::uint64_t most) const noexcept {
    if (current <= most) {
      const std::uint64_t left = left_for(previous, most - current);
      if (left >= left_ns) return 0;
      if (left > 0) return left_ns - left;
    }
    return left_ns + period - left_for(current, most);
  }
};

Decision SlidingCounter::step(Verb verb, std::uint64_t cost, Time now,
                              WideState& state) const noexcept {
  const std::uint64_t most = limit_.limit.count();
  Counts counts(state, now, period_ns(limit_));
  const std::uint64_t before = counts.estimate();
  const bool fits = cost <= most && before <= most - cost;

  Decision decision = verdict(limit_, verb, fits);
  if (!decision.allowed) {
    decision.retry_after = cost > most ? never : to_duration(counts.wait_ns(most - cost));
  }
  const std::uint64_t after = used_after(verb, fits, counts.current, cost, most_units);
  if (after != counts.current) {
    counts.current = after;
    state = counts.packed();
  }
  decision.remaining = units_left(most, counts.estimate());
  decision.reset_after = to_duration(counts.wait_ns(0));
  return decision;
}

Time SlidingCounter::idle_from(const WideState& state) const noexcept {
  const std::uint64_t period = period_ns(limit_);
  const Time start = window_start(Counts::window_of(state), period);
  const Counts counts(state, start, period);
  return counts.estimate() == 0 ? Time{} : start + to_duration(counts.wait_ns(0));
}

std::uint64_t SlidingCounter::used_units(Time now, const WideState& state) const noexcept {
  const Counts counts(state, now, period_ns(limit_));
  const Uint128 faded = Uint128{counts.previous} * counts.left_ns;
  return static_cast<std::uint64_t>((faded + counts.period - 1) / counts.period) + counts.current;
}

}  // namespace weir
