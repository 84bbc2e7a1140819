// SPDX-License-Identifier: Apache-2.0
// What a limiter says about one request: the verdict and the numbers made in the same step.
#pragma once

#include <cstdint>
#include <string_view>

#include <weir/clock.hpp>

namespace weir {

/// Who decided.
enum class Authority : std::uint8_t {
  local,     ///< This process's own counters.
  shared,    ///< The shared store.
  lease,     ///< A local share of a shared limit.
  fallback,  ///< The failure policy: the shared store was out of reach.
};

[[nodiscard]] std::string_view to_string(Authority authority) noexcept;

/// One decision. Units are the limit's; durations are exact, and saturate at `never`.
struct Decision {
  bool allowed = false;
  Authority authority = Authority::local;
  std::uint64_t limit = 0;      ///< Units per period.
  std::uint64_t capacity = 0;   ///< The burst of buckets and the queue, else `limit`.
  std::uint64_t remaining = 0;  ///< The largest cost that would be admitted right now.

  /// The least wait after which the same request is admitted if nothing else arrives: zero when
  /// allowed, `never` when its cost can never fit. One nanosecond earlier it is refused.
  Duration retry_after{};

  /// The least wait after which `remaining` is full again if nothing else arrives.
  Duration reset_after{};

  /// How long an admitted request must wait before it starts: a leaky queue's place in line.
  Duration delay{};

  explicit operator bool() const noexcept { return allowed; }
  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace weir
