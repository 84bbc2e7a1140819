// SPDX-License-Identifier: Apache-2.0
// For tests: one limit's counter for one key, whatever the shape of its state.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "limit/step.hpp"

namespace weir {

inline constexpr Algorithm all_algorithms[] = {Algorithm::token_bucket, Algorithm::leaky_queue,
                                               Algorithm::fixed_window, Algorithm::sliding_log,
                                               Algorithm::sliding_counter};

class TestCounter {
 public:
  explicit TestCounter(const Limit& limit) : limit_(limit) {}

  TestCounter(const TestCounter& other)
      : limit_(other.limit_),
        word_(other.word_),
        wide_(other.wide_),
        memory_(other.memory_.size()),
        ring_(other.ring_) {
    ring_.move_to(memory_);
  }
  TestCounter& operator=(const TestCounter&) = delete;

  Decision step(Verb verb, std::uint64_t cost, Time now) {
    switch (limit_.shape) {
      case Shape::word: return weir::step(limit_, verb, cost, now, word_);
      case Shape::wide: return weir::step(limit_, verb, cost, now, wide_);
      case Shape::log: break;
    }
    make_room();
    return weir::step(limit_, verb, cost, now, ring_);
  }

  Decision acquire(std::uint64_t cost, Time now) { return step(Verb::acquire, cost, now); }
  Decision debit(std::uint64_t cost, Time now) { return step(Verb::debit, cost, now); }
  Decision refund(std::uint64_t cost, Time now) { return step(Verb::refund, cost, now); }
  [[nodiscard]] Decision peek(std::uint64_t cost, Time now) const {
    return TestCounter(*this).step(Verb::peek, cost, now);
  }

  [[nodiscard]] Time idle_from() const {
    switch (limit_.shape) {
      case Shape::word: return Time{Duration{word_}};
      case Shape::wide: return weir::idle_from(limit_, wide_);
      case Shape::log: break;
    }
    return weir::idle_from(limit_, ring_);
  }

  [[nodiscard]] std::uint64_t used_units(Time now) const {
    switch (limit_.shape) {
      case Shape::word: return weir::used_units(limit_, now, word_);
      case Shape::wide: return weir::used_units(limit_, now, wide_);
      case Shape::log: break;
    }
    return weir::used_units(limit_, now, ring_);
  }

  [[nodiscard]] const CompiledLimit& limit() const { return limit_; }
  [[nodiscard]] const LogRing& ring() const { return ring_; }

  /// The same state to the last bit, not only the same meaning.
  friend bool operator==(const TestCounter& a, const TestCounter& b) {
    if (a.word_ != b.word_ || a.wide_ != b.wide_ || a.ring_.size() != b.ring_.size()) return false;
    for (std::size_t i = 0; i < a.ring_.size(); ++i) {
      if (a.ring_[i].at_ns != b.ring_[i].at_ns || a.ring_[i].total != b.ring_[i].total)
        return false;
    }
    return true;
  }

 private:
  void make_room() {
    if (ring_.has_room()) return;
    std::vector<LogEntry> larger(memory_.empty() ? 1 : memory_.size() * 2);
    ring_.move_to(larger);
    memory_.swap(larger);
  }

  CompiledLimit limit_;
  WordState word_ = 0;
  WideState wide_;
  std::vector<LogEntry> memory_;
  LogRing ring_;
};

inline std::ostream& operator<<(std::ostream& out, const Decision& decision) {
  return out << (decision.allowed ? "allowed" : "refused") << ", remaining " << decision.remaining
             << ", retry_after " << decision.retry_after.count() << ", reset_after "
             << decision.reset_after.count() << ", delay " << decision.delay.count();
}

constexpr Time at(Duration since_epoch) { return Time{since_epoch}; }

/// 'A' for admitted, 'D' for denied: calls of cost 1, one at each of the times.
inline std::string verdicts(TestCounter& counter, const std::vector<Duration>& times) {
  std::string pattern;
  for (const Duration time : times) pattern += counter.acquire(1, at(time)).allowed ? 'A' : 'D';
  return pattern;
}

inline std::string verdicts(const Limit& limit, const std::vector<Duration>& times) {
  TestCounter counter(limit);
  return verdicts(counter, times);
}

/// How many of `calls` calls of cost 1 are admitted at `now`.
inline int admitted(TestCounter& counter, Time now, int calls) {
  int count = 0;
  for (int i = 0; i < calls; ++i) count += counter.acquire(1, now).allowed ? 1 : 0;
  return count;
}

}  // namespace weir
