// SPDX-License-Identifier: Apache-2.0
// A limit as a value: how many units, in what period, by which algorithm.
#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <weir/clock.hpp>
#include <weir/result.hpp>

namespace weir {

/// How a limit counts. GCRA and the leaky bucket as a meter are the token bucket under other
/// names: the same arithmetic, the same decisions.
enum class Algorithm : std::uint8_t {
  token_bucket,     ///< Starts full, refills evenly, admits bursts up to `burst`.
  leaky_queue,      ///< Admitted requests start at an even pace; `burst` units of work may wait.
  fixed_window,     ///< One count per window aligned to the epoch. Up to twice the limit can pass
                    ///< around a boundary.
  sliding_log,      ///< Exact: the units admitted in the period that ends now.
  sliding_counter,  ///< Two window counts, the earlier one weighted by its share of the period.
};

/// The algorithm's name as it is written in a configuration: `token_bucket`, `sliding_log`, ...
[[nodiscard]] std::string_view to_string(Algorithm algorithm) noexcept;

/// What may be admitted: `count` units per `period`, and for buckets and the queue a `burst`.
///
/// Every limit of 1 to 10^9 units per millisecond to year (365 days), with a burst of 1 to 10^9, is
/// held exactly. A count of 0 admits nothing (a bucket of count 0 admits its burst once and is
/// never refilled). What lies beyond throws `std::invalid_argument`, or fails to compile in a
/// constant expression.
///
///     constexpr auto api = weir::token_bucket(10, 1s).with_burst(50);
///     constexpr auto login = weir::sliding_log(5, 15min);
class Limit {
 public:
  static constexpr std::uint64_t most_units = 1'000'000'000;
  static constexpr Duration shortest_period = std::chrono::milliseconds{1};
  static constexpr Duration longest_period = std::chrono::hours{365 * 24};

  /// `count` units per `period`; the burst of a bucket or a queue is `count`.
  constexpr Limit(Algorithm algorithm, std::uint64_t count, Duration period)
      : count_(count), burst_(count), period_(period), algorithm_(algorithm) {
    if (count > most_units) throw std::invalid_argument("limit: count above 1000000000");
    if (period < shortest_period) throw std::invalid_argument("limit: period under 1ms");
    if (period > longest_period) throw std::invalid_argument("limit: period above 365 days");
  }

  /// The same limit with room for `burst` units at once. For buckets and the queue only.
  [[nodiscard]] constexpr Limit with_burst(std::uint64_t burst) const {
    if (!has_burst()) throw std::invalid_argument("limit: a window has no burst");
    if (burst < 1 || burst > most_units) {
      throw std::invalid_argument("limit: burst not within 1 to 1000000000");
    }
    Limit limit = *this;
    limit.burst_ = burst;
    return limit;
  }

  /// Reads the short form of the configuration: `COUNT/PERIOD [burst N] [ALGORITHM]`, for example
  /// `10/s burst 50` or `5/15min sliding_log`. Periods are counted in `ms s min h day week month
  /// year` (a month has 30 days, a year 365); `gcra` and `leaky_bucket` are the token bucket. The
  /// error says what is wrong and what would be right.
  [[nodiscard]] static Result<Limit> parse(std::string_view text);

  /// The short form of this limit, in one canonical spelling that `parse` reads back.
  [[nodiscard]] std::string to_string() const;

  [[nodiscard]] constexpr Algorithm algorithm() const noexcept { return algorithm_; }
  [[nodiscard]] constexpr std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] constexpr Duration period() const noexcept { return period_; }

  /// The units that may be admitted at once: the burst of buckets and the queue, else the count.
  [[nodiscard]] constexpr std::uint64_t capacity() const noexcept { return burst_; }

  [[nodiscard]] constexpr bool has_burst() const noexcept {
    return algorithm_ == Algorithm::token_bucket || algorithm_ == Algorithm::leaky_queue;
  }

  friend constexpr bool operator==(const Limit&, const Limit&) = default;

 private:
  std::uint64_t count_;
  std::uint64_t burst_;
  Duration period_;
  Algorithm algorithm_;
};

/// `count` units per `period`, refilled evenly; up to `count` at once unless `with_burst` says
/// otherwise. The one to choose where nothing speaks for another: fair, cheap (8 bytes a key where
/// a unit takes a whole number of nanoseconds, else 16), and exact at any time.
[[nodiscard]] constexpr Limit token_bucket(std::uint64_t count, Duration period) {
  return {Algorithm::token_bucket, count, period};
}
/// `count` units per `period` at an even pace: `Decision::delay` tells how long an admitted request
/// waits for its turn, and `with_burst` how many units may wait.
[[nodiscard]] constexpr Limit leaky_queue(std::uint64_t count, Duration period) {
  return {Algorithm::leaky_queue, count, period};
}
/// `count` units in each window of `period`, aligned to the epoch: a quota with one known end.
[[nodiscard]] constexpr Limit fixed_window(std::uint64_t count, Duration period) {
  return {Algorithm::fixed_window, count, period};
}
/// Never more than `count` units in any `period`. Remembers each instant: 16 bytes for each of up
/// to `count` of them a key.
[[nodiscard]] constexpr Limit sliding_log(std::uint64_t count, Duration period) {
  return {Algorithm::sliding_log, count, period};
}
/// Close to the sliding log for 16 bytes a key: the units of the window before are taken as spread
/// evenly over it.
[[nodiscard]] constexpr Limit sliding_counter(std::uint64_t count, Duration period) {
  return {Algorithm::sliding_counter, count, period};
}

}  // namespace weir
