// SPDX-License-Identifier: Apache-2.0
// For tests: the definitions of docs/semantics.md in exact fractions, written as they read and
// without regard for time or space. It shares nothing with the code that it is compared with: it
// keeps tokens where that keeps an instant, and it answers questions where that computes numbers.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <map>
#include <vector>

#include <weir/limit.hpp>

namespace weir {

class ExactModel {
 public:
  using Fraction = boost::multiprecision::cpp_rational;
  using Whole = boost::multiprecision::cpp_int;

  explicit ExactModel(const Limit& limit)
      : limit_(limit), period_(limit.period().count()), tokens_(limit.capacity()) {}

  /// Whether `cost` would be admitted at `ns` if nothing else arrives until then.
  [[nodiscard]] bool admits(const Whole& cost, const Whole& ns) const {
    switch (limit_.algorithm()) {
      case Algorithm::token_bucket: return tokens_at(ns) >= Fraction(cost);
      case Algorithm::leaky_queue:
        return backlog(ns) <= capacity() * unit() && !is_endless(Fraction(cost) * unit());
      default: return used(ns) + cost <= limit_.count();
    }
  }

  void take(const Whole& cost, const Whole& ns) {
    switch (limit_.algorithm()) {
      case Algorithm::token_bucket: return set_tokens(tokens_at(ns) - Fraction(cost), ns);
      case Algorithm::leaky_queue:
        next_ = Fraction(ns) + backlog(ns) + Fraction(cost) * unit();
        return;
      case Algorithm::sliding_log: log_.push_back({ns, cost}); return;
      default: counts_[ns / period_] += cost;
    }
  }

  void give_back(const Whole& cost, const Whole& ns) {
    switch (limit_.algorithm()) {
      case Algorithm::token_bucket: return set_tokens(tokens_at(ns) + Fraction(cost), ns);
      case Algorithm::leaky_queue:
        next_ = Fraction(ns) + std::max(Fraction(0), backlog(ns) - Fraction(cost) * unit());
        return;
      case Algorithm::sliding_log: return give_back_newest(cost, ns);
      default: {
        Whole& count = counts_[ns / period_];
        count = std::max(Whole(0), Whole(count - cost));
      }
    }
  }

  /// Whether `units` are the largest cost that is admitted at `ns`; for a queue, whether so many
  /// single units would be admitted one after the other.
  [[nodiscard]] bool has_remaining(const Whole& units, const Whole& ns) const {
    if (limit_.algorithm() == Algorithm::leaky_queue) {
      const Fraction room = capacity() * unit() - backlog(ns);
      const bool last_fits = units == 0 || Fraction(units - 1) * unit() <= room;
      return last_fits && Fraction(units) * unit() > room;
    }
    return (units == 0 || admits(units, ns)) && !admits(units + 1, ns);
  }

  /// Whether everything is there again at `ns`.
  [[nodiscard]] bool is_full(const Whole& ns) const {
    switch (limit_.algorithm()) {
      case Algorithm::token_bucket: return tokens_at(ns) == capacity();
      case Algorithm::leaky_queue: return backlog(ns) == 0;
      default: return used(ns) == 0;
    }
  }

  /// A queue's work ahead of a newcomer, in ns.
  [[nodiscard]] Fraction backlog(const Whole& ns) const {
    return std::max(Fraction(0), Fraction(next_ - ns));
  }

  /// The ns that one unit takes.
  [[nodiscard]] Fraction unit() const { return Fraction(period_, limit_.count()); }

  /// The units that count in a window.
  [[nodiscard]] Whole used(const Whole& ns) const {
    const Whole window = ns / period_;
    switch (limit_.algorithm()) {
      case Algorithm::fixed_window: return count_of(window);
      case Algorithm::sliding_counter: {
        const Whole left = period_ - ns % period_;
        return count_of(window - 1) * left / period_ + count_of(window);
      }
      default: {
        Whole units = 0;
        for (const Entry& entry : log_) units += entry.at > ns - period_ ? entry.units : Whole(0);
        return units;
      }
    }
  }

 private:
  struct Entry {
    Whole at;
    Whole units;
  };

  [[nodiscard]] Fraction capacity() const { return limit_.capacity(); }

  // More than the whole burst, and 73 years of work: no queue admits it.
  [[nodiscard]] bool is_endless(const Fraction& work) const {
    return work > capacity() * unit() && work > Fraction(Whole(1) << 61);
  }

  [[nodiscard]] Fraction tokens_at(const Whole& ns) const {
    return std::min(capacity(), Fraction(tokens_ + Fraction(ns - tokens_since_) / unit()));
  }

  void set_tokens(const Fraction& tokens, const Whole& ns) {
    tokens_ = std::min(capacity(), tokens);
    tokens_since_ = ns;
  }

  [[nodiscard]] Whole count_of(const Whole& window) const {
    const auto found = counts_.find(window);
    return found == counts_.end() ? Whole(0) : found->second;
  }

  void give_back_newest(Whole cost, const Whole& ns) {
    for (std::size_t i = log_.size(); i-- > 0 && log_[i].at > ns - period_;) {
      const Whole given = std::min(cost, log_[i].units);
      log_[i].units -= given;
      cost -= given;
    }
  }

  Limit limit_;
  Whole period_;
  Fraction tokens_;  // token bucket
  Whole tokens_since_ = 0;
  Fraction next_ = 0;              // leaky queue: when the next one would start
  std::map<Whole, Whole> counts_;  // windows
  std::vector<Entry> log_;         // sliding log
};

}  // namespace weir
