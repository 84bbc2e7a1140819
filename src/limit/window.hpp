// SPDX-License-Identifier: Apache-2.0
// Fixed windows and sliding counters: counts in windows aligned to the epoch.
#pragma once

#include "limit/verdict.hpp"

namespace weir {

/// One count per window.
class FixedWindow {
 public:
  explicit FixedWindow(const CompiledLimit& limit) noexcept : limit_(limit) {}

  [[nodiscard]] Decision step(Verb verb, std::uint64_t cost, Time now,
                              WideState& state) const noexcept;
  [[nodiscard]] Time idle_from(const WideState& state) const noexcept;
  [[nodiscard]] std::uint64_t used_units(Time now, const WideState& state) const noexcept;

 private:
  const CompiledLimit& limit_;
};

/// Two counts; the earlier window's fades out evenly over the present one:
///
///     estimate = previous * (period - elapsed) / period + current
class SlidingCounter {
 public:
  /// A count saturates here: 42 bits, over four thousand times the largest limit.
  static constexpr std::uint64_t most_units = (std::uint64_t{1} << 42) - 1;

  explicit SlidingCounter(const CompiledLimit& limit) noexcept : limit_(limit) {}

  [[nodiscard]] Decision step(Verb verb, std::uint64_t cost, Time now,
                              WideState& state) const noexcept;
  [[nodiscard]] Time idle_from(const WideState& state) const noexcept;
  [[nodiscard]] std::uint64_t used_units(Time now, const WideState& state) const noexcept;

 private:
  struct Counts;

  const CompiledLimit& limit_;
};

}  // namespace weir
