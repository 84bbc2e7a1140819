// SPDX-License-Identifier: Apache-2.0
// What happened in the table, counted in stripes so that threads seldom share a line.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weir::store {

enum class Event : std::uint8_t {
  live_eviction,    ///< a key that still owed something was forgotten
  expired_reuse,    ///< the place of a key that owed nothing was taken over
  relocation,       ///< a key moved to its other group to make room
  shared_newcomer,  ///< a new key was counted with the overflow key
  full_refusal,     ///< a new key was refused for want of room
  count_of_events
};

inline constexpr std::size_t stripe_count = 16;

/// Which stripe is this thread's.
[[nodiscard]] inline std::size_t stripe_of_thread() noexcept {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine % stripe_count;
}

class Counters {
 public:
  void count(Event event) noexcept {
    stripes_[stripe_of_thread()].events[static_cast<std::size_t>(event)].fetch_add(
        1, std::memory_order_relaxed);
  }

  [[nodiscard]] std::uint64_t total(Event event) const noexcept {
    std::uint64_t sum = 0;
    for (const auto& stripe : stripes_) {
      sum += stripe.events[static_cast<std::size_t>(event)].load(std::memory_order_relaxed);
    }
    return sum;
  }

 private:
  struct alignas(64) Stripe {
    std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Event::count_of_events)>
        events{};
  };

  std::array<Stripe, stripe_count> stripes_;
};

/// Stops an effort for a while where it seldom pays: each success buys some failures, and when they
/// are used up, only every 32nd attempt is made. Threads do not wait for each other and may lose a
/// count.
class Breaker {
 public:
  [[nodiscard]] bool allows() noexcept {
    Stripe& mine = stripes_[stripe_of_thread()];
    if (mine.credit.load(std::memory_order_relaxed) > 0) return true;
    const auto skipped = mine.skipped.load(std::memory_order_relaxed) + 1;
    mine.skipped.store(skipped, std::memory_order_relaxed);
    return skipped % attempt_every == 0;
  }
  void failed() noexcept { add(-1); }
  void succeeded() noexcept { add(failures_of_success); }

 private:
  static constexpr unsigned attempt_every = 32;
  static constexpr int failures_of_success = 8;
  static constexpr int most_credit = 64;

  void add(int by) noexcept {
    auto& credit = stripes_[stripe_of_thread()].credit;
    const int sum = credit.load(std::memory_order_relaxed) + by;
    credit.store(std::clamp(sum, 0, most_credit), std::memory_order_relaxed);
  }

  struct alignas(64) Stripe {
    std::atomic<int> credit{most_credit};
    std::atomic<unsigned> skipped{0};
  };

  std::array<Stripe, stripe_count> stripes_;
};

}  // namespace weir::store
