// SPDX-License-Identifier: Apache-2.0
// How often each limit came to each outcome, counted by one thread and read by any.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "limiter/engine.hpp"
#include "limiter/ruling.hpp"

namespace weir::limiter {

/// A counter with one writer: a plain add, no locked instruction, safe to read meanwhile.
class Count {
 public:
  void add(std::uint64_t by = 1) noexcept { value_.store(value() + by, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// One batch's counts, for the limits of one ruling and one more row for all limits that came with
/// asks.
class Tally {
 public:
  explicit Tally(std::shared_ptr<const Ruling> ruling)
      : ruling_(std::move(ruling)), rows_(ruling_->limit_count() + 1) {}

  void count(const rules::RuleLimit& limit, const Outcome& outcome) noexcept;
  void count_forbidden() noexcept { forbidden_.add(); }
  void count_exempt() noexcept { exempt_.add(); }

 private:
  friend class TallyBook;
  struct Row {
    Count allowed, refused, unavailable, fallback;
  };

  std::shared_ptr<const Ruling> ruling_;
  std::vector<Row> rows_;
  Count forbidden_, exempt_;
};

/// Gathers what all tallies count. A tally that ends leaves its counts here.
class TallyBook {
 public:
  /// Opens a tally for `ruling`, in place of `old` (null for the first one).
  std::shared_ptr<Tally> open(std::shared_ptr<const Ruling> ruling,
                              const std::shared_ptr<Tally>& old);
  void close(const std::shared_ptr<Tally>& tally);

  [[nodiscard]] std::vector<DecisionCount> counts() const;
  [[nodiscard]] std::uint64_t forbidden() const;
  [[nodiscard]] std::uint64_t exempt() const;

 private:
  using Name = std::tuple<std::string, std::string, bool>;  // rule, limit, shadow
  using Counts = std::map<Name, DecisionCount>;

  static void add(const Tally& tally, Counts& counts);
  void close_locked(const std::shared_ptr<Tally>& tally);

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Tally>> open_;
  Counts closed_;
  std::uint64_t closed_forbidden_ = 0;
  std::uint64_t closed_exempt_ = 0;
};

}  // namespace weir::limiter
