// SPDX-License-Identifier: Apache-2.0
// Token bucket and leaky queue: one arithmetic over the instant at which nothing is owed any more.
//
//         now                    free_at
//     -----|======================|---------------> time, in ticks
//          |------- owed ---------|
//          |------------------ capacity ------------------|      burst * T
//                                 |--- room for cost * T -|
//
// A bucket's tokens are (capacity - owed) / T, and a cost fits where `owed` still leaves room for
// it. A queue's backlog is `owed`, and any cost may join while the backlog is not above the
// capacity.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "limit/verdict.hpp"

namespace weir {

/// The arithmetic in ticks of the type `Ticks`: std::int64_t where a tick is a nanosecond, Int128
/// where it is a fraction of one. Debts saturate at the last instant of the type; one that reaches
/// it is never paid.
template <typename Ticks>
class Bucket {
 public:
  explicit Bucket(const CompiledLimit& limit) noexcept : limit_(limit) {}

  /// Takes one step on the instant `free_at`, at which nothing is owed any more.
  [[nodiscard]] Decision step(Verb verb, std::uint64_t cost, Time now,
                              Ticks& free_at) const noexcept {
    const Ticks start = ticks(now.time_since_epoch());
    const Ticks before = std::max(free_at, start);
    const Ticks owed = before - start;
    const Ticks work = work_of(cost);
    const Ticks ceiling = most_owed(work);
    const bool fits = owed <= ceiling;

    const Ticks after = instant_after(verb, fits, {before, owed, work});
    if (after != before) free_at = after;

    Decision decision = verdict(limit_, verb, fits);
    decision.remaining = remaining(after - start);
    decision.reset_after = wait(after, after - start);
    if (!decision.allowed) {
      decision.retry_after = ceiling < 0 ? never : wait(before, owed - ceiling);
    } else if (queues() && verb != Verb::refund) {
      decision.delay = wait(before, owed);
    }
    return decision;
  }

  /// The instant `free_at`, rounded up to the nanosecond.
  [[nodiscard]] Time idle_from(Ticks free_at) const noexcept {
    const Duration since_epoch = wait(free_at, free_at);
    return since_epoch == never ? Time::max() : Time{since_epoch};
  }

  /// The units owed at `now`, rounded up.
  [[nodiscard]] std::uint64_t used_units(Time now, Ticks free_at) const noexcept {
    const Ticks start = ticks(now.time_since_epoch());
    const Ticks owed = std::max(free_at, start) - start;
    const auto units = divide_up(owed, limit_.unit_ticks);
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return units > most ? most : static_cast<std::uint64_t>(units);
  }

 private:
  static constexpr bool whole_ns = sizeof(Ticks) == sizeof(std::int64_t);
  using Unsigned = std::conditional_t<whole_ns, std::uint64_t, Uint128>;
  static constexpr Duration longest_work{std::int64_t{1} << 61};
  static constexpr Ticks last_instant = static_cast<Ticks>(~Unsigned{0} >> 1);

  struct Load {
    Ticks before;
    Ticks owed;
    Ticks work;
  };

  [[nodiscard]] bool queues() const noexcept {
    return limit_.limit.algorithm() == Algorithm::leaky_queue;
  }

  [[nodiscard]] Ticks ticks(Duration time) const noexcept {
    const Ticks ns = time.count();
    return whole_ns ? ns : ns * static_cast<Ticks>(limit_.ticks_per_ns);
  }

  [[nodiscard]] Ticks capacity() const noexcept {
    if constexpr (whole_ns) return limit_.capacity_ns;
    return static_cast<Ticks>(limit_.limit.capacity()) * static_cast<Ticks>(limit_.unit_ticks);
  }

  [[nodiscard]] Ticks work_of(std::uint64_t cost) const noexcept {
    Unsigned work;
    if (__builtin_mul_overflow(Unsigned{cost}, Unsigned{limit_.unit_ticks}, &work)) {
      return last_instant;
    }
    return static_cast<Ticks>(std::min(work, static_cast<Unsigned>(last_instant)));
  }

  // The most that may be owed for `work` to be admitted; negative where it never is. A queue is
  // never held up for 73 years by one cost above its burst, so that what is admitted never
  // saturates.
  [[nodiscard]] Ticks most_owed(Ticks work) const noexcept {
    if (!queues()) return capacity() - work;
    return work <= std::max(capacity(), ticks(longest_work)) ? capacity() : Ticks{-1};
  }

  [[nodiscard]] static Ticks instant_after(Verb verb, bool fits, const Load& load) noexcept {
    if (takes(verb, fits)) return load.before + std::min(load.work, last_instant - load.before);
    if (verb == Verb::refund) return load.before - std::min(load.work, load.owed);
    return load.before;
  }

  [[nodiscard]] std::uint64_t remaining(Ticks owed) const noexcept {
    if (owed > capacity()) return 0;
    const Unsigned units = static_cast<Unsigned>(capacity() - owed) / limit_.unit_ticks;
    return static_cast<std::uint64_t>(units) + (queues() ? 1 : 0);
  }

  // How long `span` ticks take, a part of the wait for `free_at`.
  [[nodiscard]] Duration wait(Ticks free_at, Ticks span) const noexcept {
    if (free_at == last_instant) return never;
    if constexpr (whole_ns) return Duration{span};
    const Unsigned ns = divide_up(span, limit_.ticks_per_ns);
    const auto most = static_cast<Unsigned>(never.count());
    return ns > most ? never : Duration{static_cast<std::int64_t>(ns)};
  }

  [[nodiscard]] static Unsigned divide_up(Ticks dividend, std::uint64_t divisor) noexcept {
    return (static_cast<Unsigned>(dividend) + (divisor - 1)) / divisor;
  }

  const CompiledLimit& limit_;
};

}  // namespace weir
