// SPDX-License-Identifier: Apache-2.0
// One limit for the whole process: no keys, no memory beyond its own few bytes.
#pragma once

#include <cstdint>
#include <memory>

#include <weir/clock.hpp>
#include <weir/decision.hpp>
#include <weir/limit.hpp>

namespace weir {

/// A limit with its state. All members may be called from many threads at once; together they
/// never admit one unit more than the limit.
///
///     weir::Limiter limiter(weir::token_bucket(100, 1s));
///     if (auto decision = limiter.acquire(); !decision) return retry(decision.retry_after);
class Limiter {
 public:
  /// `clock` must outlive the limiter.
  explicit Limiter(const Limit& limit, const Clock& clock = SteadyClock::shared());
  ~Limiter();
  Limiter(Limiter&&) noexcept;
  Limiter& operator=(Limiter&&) noexcept;

  /// Takes `cost` units, all or nothing. A refused call changes nothing; cost 0 is a question.
  [[nodiscard]] Decision acquire(std::uint64_t cost = 1) noexcept;

  /// The verdict that `acquire` would give, with the numbers as they stand. Changes nothing.
  [[nodiscard]] Decision peek(std::uint64_t cost = 1) const noexcept;

  /// Takes `cost` units whatever stands there, so the limit can go into debt: for costs that are
  /// known only afterwards. `allowed` tells whether `acquire` would have admitted it.
  Decision debit(std::uint64_t cost) noexcept;

  /// Gives `cost` units back, never beyond full.
  Decision refund(std::uint64_t cost) noexcept;

  [[nodiscard]] const Limit& limit() const noexcept;

 private:
  class Cell;
  std::unique_ptr<Cell> cell_;
};

}  // namespace weir
