// SPDX-License-Identifier: Apache-2.0
// Buckets and queues of count 0: what they hold is there once and never again.
#pragma once

#include "limit/verdict.hpp"

namespace weir {

/// A bucket admits its burst. A queue admits nothing: nothing in it would ever start.
class OneTime {
 public:
  explicit OneTime(const CompiledLimit& limit) noexcept : limit_(limit) {}

  [[nodiscard]] Decision step(Verb verb, std::uint64_t cost, WideState& state) const noexcept {
    const bool queues = limit_.limit.algorithm() == Algorithm::leaky_queue;
    const std::uint64_t most = queues ? 0 : limit_.limit.capacity();
    const bool fits = cost <= most && state.lo <= most - cost;

    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    state.lo = used_after(verb, fits, state.lo, cost, largest);

    Decision decision = verdict(limit_, verb, fits);
    decision.remaining = units_left(most, state.lo);
    decision.reset_after = state.lo == 0 ? Duration{} : never;
    if (!decision.allowed) decision.retry_after = never;
    return decision;
  }

  [[nodiscard]] static Time idle_from(const WideState& state) noexcept {
    return state.lo == 0 ? Time{} : Time::max();
  }

 private:
  const CompiledLimit& limit_;
};

}  // namespace weir
