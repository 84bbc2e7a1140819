// SPDX-License-Identifier: Apache-2.0
// How long to wait before the next attempt, so that many clients don't come back all at once.
#pragma once

#include <cstdint>
#include <random>

#include <weir/clock.hpp>

namespace weir::redis {

/// Exponential with full jitter: no wait before the first attempt, then anything from nothing to
/// 50 ms, 100 ms, 200 ms ... up to the longest.
class Backoff {
 public:
  Backoff(Duration longest, std::uint64_t seed) noexcept : longest_(longest), random_(seed) {}

  [[nodiscard]] Duration next() noexcept;

  /// The last attempt came to something.
  void reset() noexcept { bound_ = {}; }

 private:
  Duration longest_;
  Duration bound_{};  // of the next wait
  std::minstd_rand random_;
};

}  // namespace weir::redis
