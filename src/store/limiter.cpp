// SPDX-License-Identifier: Apache-2.0
// One limit and its state: a word changes by compare-and-swap, the larger states under a lock.
#include <weir/limiter.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>

#include "base/spin_lock.hpp"
#include "limit/step.hpp"

namespace weir {

namespace {

/// A log that grows as it is used. Not for several threads.
class GrowingLog {
 public:
  Decision step(const CompiledLimit& limit, Verb verb, std::uint64_t cost, Time now) noexcept {
    const bool adds = verb == Verb::acquire || verb == Verb::debit;
    if (adds && !ensure_room(limit, verb, now)) {
      Decision refused = weir::step(limit, Verb::peek, cost, now, ring_);
      refused.allowed = false;
      return refused;
    }
    return weir::step(limit, verb, cost, now, ring_);
  }

 private:
  static constexpr std::size_t first_size = 8;

  /// False only where memory has run out.
  bool ensure_room(const CompiledLimit& limit, Verb verb, Time now) noexcept {
    if (ring_.has_room()) return true;
    drop_ended(limit, now, ring_);
    if (ring_.has_room()) return true;
    const std::size_t size = std::max(first_size, 2 * ring_.memory().size());
    if (std::unique_ptr<LogEntry[]> larger{new (std::nothrow) LogEntry[size]}) {
      ring_.move_to({larger.get(), size});
      memory_ = std::move(larger);
    } else if (verb == Verb::debit && ring_.size() >= 2) {
      ring_.merge_oldest();  // counted longer than due, rather than not at all
    }
    return ring_.has_room();
  }

  std::unique_ptr<LogEntry[]> memory_;
  LogRing ring_;
};

}  // namespace

class Limiter::Cell {
 public:
  Cell(const Limit& limit, const Clock& clock) : limit_(limit), clock_(clock) {}

  Decision step(Verb verb, std::uint64_t cost) noexcept {
    const Time now = clock_.now();
    if (limit_.shape == Shape::word) return step_word(verb, cost, now);
    const SpinGuard guard(lock_);
    if (limit_.shape == Shape::wide) return weir::step(limit_, verb, cost, now, wide_);
    return log_.step(limit_, verb, cost, now);
  }

  [[nodiscard]] const Limit& limit() const noexcept { return limit_.limit; }

 private:
  Decision step_word(Verb verb, std::uint64_t cost, Time now) noexcept {
    WordState before = word_.load(std::memory_order_relaxed);
    while (true) {
      WordState after = before;
      const Decision decision = weir::step(limit_, verb, cost, now, after);
      // A refusal writes nothing, so that many threads can be refused at once.
      if (after == before ||
          word_.compare_exchange_weak(before, after, std::memory_order_relaxed)) {
        return decision;
      }
    }
  }

  const CompiledLimit limit_;
  const Clock& clock_;
  alignas(64) std::atomic<WordState> word_{0};
  SpinLock lock_;
  WideState wide_ WEIR_GUARDED_BY(lock_);
  GrowingLog log_ WEIR_GUARDED_BY(lock_);
};

Limiter::Limiter(const Limit& limit, const Clock& clock)
    : cell_(std::make_unique<Cell>(limit, clock)) {}

Limiter::~Limiter() = default;
Limiter::Limiter(Limiter&&) noexcept = default;
Limiter& Limiter::operator=(Limiter&&) noexcept = default;

Decision Limiter::acquire(std::uint64_t cost) noexcept { return cell_->step(Verb::acquire, cost); }

Decision Limiter::peek(std::uint64_t cost) const noexcept { return cell_->step(Verb::peek, cost); }

Decision Limiter::debit(std::uint64_t cost) noexcept { return cell_->step(Verb::debit, cost); }

Decision Limiter::refund(std::uint64_t cost) noexcept { return cell_->step(Verb::refund, cost); }

const Limit& Limiter::limit() const noexcept { return cell_->limit(); }

}  // namespace weir
