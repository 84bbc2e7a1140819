// SPDX-License-Identifier: Apache-2.0
// One or several limits for each key, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include <weir/clock.hpp>
#include <weir/decision.hpp>
#include <weir/limit.hpp>

namespace weir {

/// What happens to a new key when the memory is full of keys that all still owe something.
enum class WhenFull : std::uint8_t {
  evict,  ///< The key that owes least is forgotten, and counted.
  share,  ///< Newcomers share one overflow key.
  deny,   ///< Newcomers are refused.
};

struct KeyedLimiterOptions {
  std::size_t memory_bytes = std::size_t{16} << 20;  ///< Taken at construction, never exceeded.
  WhenFull when_full = WhenFull::evict;
  const Clock* clock = &SteadyClock::shared();  ///< Must outlive the limiter.
};

/// Limits that hold for every key on its own. With several limits a request is all or nothing:
/// where one refuses, none is charged, and the decision is that of the limit that decides (refused:
/// the longest `retry_after`; admitted: the least `remaining` in proportion to its capacity).
/// All members may be called from many threads at once. A key that owes nothing takes no memory.
///
///     weir::KeyedLimiter api({weir::token_bucket(10, 1s).with_burst(50), weir::fixed_window(5000,
///     24h)}); auto decision = api.acquire(user_id, 3);
class KeyedLimiter {
 public:
  /// `limits` holds 1 to 16 different limits.
  KeyedLimiter(std::initializer_list<Limit> limits, const KeyedLimiterOptions& options = {});
  KeyedLimiter(std::span<const Limit> limits, const KeyedLimiterOptions& options = {});
  ~KeyedLimiter();
  KeyedLimiter(KeyedLimiter&&) noexcept;
  KeyedLimiter& operator=(KeyedLimiter&&) noexcept;

  /// The four verbs mean what they mean for `Limiter`, for `key` alone.
  [[nodiscard]] Decision acquire(std::string_view key, std::uint64_t cost = 1);
  [[nodiscard]] Decision peek(std::string_view key, std::uint64_t cost = 1) const;
  Decision debit(std::string_view key, std::uint64_t cost);
  Decision refund(std::string_view key, std::uint64_t cost);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
