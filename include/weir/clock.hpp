// SPDX-License-Identifier: Apache-2.0
// Time in weir: integer nanoseconds since the Unix epoch, read from a clock that never runs
// backwards.
#pragma once

#include <atomic>
#include <chrono>

namespace weir {

/// A span of time. Never a bare integer.
using Duration = std::chrono::nanoseconds;

/// A point in time: whole nanoseconds since 1970-01-01T00:00:00Z. Decisions are defined from
/// `Time{}` to `latest_time`; a clock never returns anything outside.
using Time = std::chrono::sys_time<Duration>;

/// The last instant at which weir decides (in the year 2116), so that sums of times cannot
/// overflow.
inline constexpr Time latest_time{Duration{std::int64_t{1} << 62}};

/// The wait of a request that can never be admitted, however long it waits.
inline constexpr Duration never = Duration::max();

/// Where a limiter reads the time. `now` is called by many threads at once.
class Clock {
 public:
  virtual ~Clock() = default;

  /// The current time; never earlier than any time that it returned before.
  [[nodiscard]] virtual Time now() const noexcept = 0;
};

/// The default clock: the wall time read once, at construction, carried on by the machine's
/// monotonic clock. A step of the wall clock (NTP, a leap second, an operator) changes nothing.
class SteadyClock final : public Clock {
 public:
  SteadyClock() noexcept;

  [[nodiscard]] Time now() const noexcept override;

  /// One clock for the whole process.
  [[nodiscard]] static const SteadyClock& shared() noexcept;

 private:
  Duration wall_minus_steady_;
};

/// A clock for tests and simulations: it moves only when told to, and only forwards.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time start = Time{}) noexcept : now_(start) {}

  [[nodiscard]] Time now() const noexcept override { return now_.load(std::memory_order_relaxed); }

  /// Moves to `time`; a time earlier than the present one is taken as the present one.
  void set(Time time) noexcept;

  void advance(Duration by) noexcept { set(now() + by); }

 private:
  std::atomic<Time> now_;
};

}  // namespace weir
