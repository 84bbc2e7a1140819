// SPDX-License-Identifier: Apache-2.0
// Which arithmetic serves which limit.
#include "limit/step.hpp"

#include "limit/one_time.hpp"
#include "limit/sliding_log.hpp"
#include "limit/window.hpp"

namespace weir {
namespace {

Int128 instant_of(const WideState& state) noexcept {
  return static_cast<Int128>(Uint128{state.hi} << 64 | state.lo);
}

WideState wide_of(Int128 instant) noexcept {
  const auto bits = static_cast<Uint128>(instant);
  return {static_cast<std::uint64_t>(bits), static_cast<std::uint64_t>(bits >> 64)};
}

Decision step_bucket(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now,
                     WideState& state) noexcept {
  Int128 free_at = instant_of(state);
  const Decision decision = Bucket<Int128>(limit).step(verb, cost, now, free_at);
  state = wide_of(free_at);
  return decision;
}

}  // namespace

Decision step(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now,
              WideState& state) noexcept {
  switch (limit.limit.algorithm()) {
    case Algorithm::fixed_window: return FixedWindow(limit).step(verb, cost, now, state);
    case Algorithm::sliding_counter: return SlidingCounter(limit).step(verb, cost, now, state);
    default: break;
  }
  if (limit.limit.count() == 0) return OneTime(limit).step(verb, cost, state);
  return step_bucket(limit, verb, cost, now, state);
}

Decision step(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now,
              LogRing& ring) noexcept {
  return SlidingLog(limit).step(verb, cost, now, ring);
}

void drop_ended(const CompiledLimit& limit, Time now, LogRing& ring) noexcept {
  SlidingLog(limit).drop_ended(now, ring);
}

Time idle_from(const CompiledLimit& limit, const WideState& state) noexcept {
  switch (limit.limit.algorithm()) {
    case Algorithm::fixed_window: return FixedWindow(limit).idle_from(state);
    case Algorithm::sliding_counter: return SlidingCounter(limit).idle_from(state);
    default: break;
  }
  if (limit.limit.count() == 0) return OneTime::idle_from(state);
  return Bucket<Int128>(limit).idle_from(instant_of(state));
}

Time idle_from(const CompiledLimit& limit, const LogRing& ring) noexcept {
  return SlidingLog(limit).idle_from(ring);
}

std::uint64_t used_units(const CompiledLimit& limit, Time now, WordState state) noexcept {
  return Bucket<WordState>(limit).used_units(now, state);
}

std::uint64_t used_units(const CompiledLimit& limit, Time now, const WideState& state) noexcept {
  switch (limit.limit.algorithm()) {
    case Algorithm::fixed_window: return FixedWindow(limit).used_units(now, state);
    case Algorithm::sliding_counter: return SlidingCounter(limit).used_units(now, state);
    default: break;
  }
  if (limit.limit.count() == 0) return state.lo;
  return Bucket<Int128>(limit).used_units(now, instant_of(state));
}

std::uint64_t used_units(const CompiledLimit& limit, Time now, const LogRing& ring) noexcept {
  return SlidingLog(limit).used_units(now, ring);
}

WordState word_with_used(const CompiledLimit& limit, Time now, std::uint64_t used) noexcept {
  WordState state = 0;
  static_cast<void>(step(limit, Verb::debit, used, now, state));
  return state;
}

WideState wide_with_used(const CompiledLimit& limit, Time now, std::uint64_t used) noexcept {
  WideState state;
  static_cast<void>(step(limit, Verb::debit, used, now, state));
  return state;
}

std::uint64_t carried_units(const Limit& before, std::uint64_t used, const Limit& after) noexcept {
  const bool same_rate = before.count() == after.count() && before.period() == after.period();
  const auto is_bucket = [](const Limit& limit) {
    return limit.algorithm() == Algorithm::token_bucket;
  };
  if (same_rate && is_bucket(before) && is_bucket(after)) {
    if (used == 0) return 0;
    const std::uint64_t spared = before.capacity() - std::min(before.capacity(), after.capacity());
    const std::uint64_t added = after.capacity() - std::min(before.capacity(), after.capacity());
    return used - std::min(used, spared) + std::min(added, ~used);
  }
  if (!before.has_burst() && !after.has_burst() && after.period() < before.period()) {
    const Uint128 share = Uint128{used} * static_cast<std::uint64_t>(after.period().count());
    return static_cast<std::uint64_t>(share / static_cast<std::uint64_t>(before.period().count()));
  }
  return used;
}

}  // namespace weir
