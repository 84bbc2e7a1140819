// SPDX-License-Identifier: Apache-2.0
// For tests: random limits, and random calls that keep near the edges of what a limit admits.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>

#include "limit/test_counter.hpp"

namespace weir {

/// Any limit that can be loaded but those of count 0: small and large, even and odd.
inline Limit random_limit(Algorithm algorithm) {
  const auto units = [] {
    return *rc::gen::oneOf(
        rc::gen::inRange<std::uint64_t>(1, 20), rc::gen::inRange<std::uint64_t>(1, 1'000'000'001),
        rc::gen::element<std::uint64_t>(1, 2, 3, 7, 10, 50, 60, 99'991, 999'983, 1'000'000,
                                        999'999'937, Limit::most_units));
  };
  const auto period_ns = *rc::gen::oneOf(
      rc::gen::inRange<std::int64_t>(Limit::shortest_period.count(), Limit::longest_period.count()),
      rc::gen::element<std::int64_t>(1'000'000, 1'000'003, 7'000'000, 1'000'000'000, 60'000'000'000,
                                     3'600'000'000'000, 86'400'000'000'000, 2'592'000'000'000'000,
                                     31'535'999'999'999'989, 31'536'000'000'000'000));
  const Limit limit(algorithm, units(), Duration{period_ns});
  if (!limit.has_burst() || *rc::gen::arbitrary<bool>()) return limit;
  return limit.with_burst(units());
}

struct Call {
  Verb verb;
  std::uint64_t cost;
  Time now;
};

inline std::ostream& operator<<(std::ostream& out, Verb verb) {
  constexpr const char* names[] = {"acquire", "peek", "debit", "refund"};
  return out << names[static_cast<int>(verb)];
}

inline std::ostream& operator<<(std::ostream& out, const Call& call) {
  return out << call.verb << ' ' << call.cost << " at " << call.now.time_since_epoch().count();
}

/// Makes calls one after the other, in time that goes on.
class RandomCalls {
 public:
  /// Debits and queued costs are at most `most_debt`.
  RandomCalls(const Limit& limit, std::uint64_t most_debt) : limit_(limit), most_debt_(most_debt) {
    start_ = Time{Duration{*rc::gen::element<std::int64_t>(
        0, 1'750'000'000'123'456'789, latest_time.time_since_epoch().count() - 1'000'000'000)}};
    now_ = start_;
  }

  [[nodiscard]] Time start() const { return start_; }

  /// The next call, `last` being the answer to the one before.
  Call next(const Decision& last) {
    now_ = std::min(latest_time, now_ + pause(last));
    const Verb verb = *rc::gen::weightedElement<Verb>(
        {{6, Verb::acquire}, {1, Verb::peek}, {2, Verb::debit}, {1, Verb::refund}});
    std::uint64_t cost = random_cost();
    const bool queued = limit_.algorithm() == Algorithm::leaky_queue && verb == Verb::acquire;
    if (verb == Verb::debit || queued) cost = std::min(cost, most_debt_);
    return {verb, cost, now_};
  }

 private:
  [[nodiscard]] Duration pause(const Decision& last) const {
    const Duration unit = limit_.period() / static_cast<std::int64_t>(limit_.count());
    const Duration ns{1};
    const Duration retry = last.retry_after == never ? Duration{} : last.retry_after;
    const Duration reset = last.reset_after == never ? Duration{} : last.reset_after;
    const Duration longest = latest_time - now_;
    const Duration wanted = *rc::gen::weightedOneOf<Duration>(
        {{4, rc::gen::just(Duration{})},
         {4, rc::gen::element(ns, unit, unit + ns, unit * 3)},
         {4, rc::gen::element(retry, std::max(retry, ns) - ns, reset, std::max(reset, ns) - ns)},
         {2, rc::gen::element(limit_.period(), limit_.period() - ns, limit_.period() * 2)},
         {4, rc::gen::map(rc::gen::inRange<std::int64_t>(0, limit_.period().count()),
                          [](std::int64_t count) { return Duration{count}; })}});
    return std::min(wanted, longest);
  }

  [[nodiscard]] std::uint64_t random_cost() const {
    const std::uint64_t capacity = limit_.capacity();
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    return *rc::gen::weightedOneOf<std::uint64_t>(
        {{6, rc::gen::element<std::uint64_t>(1, 1, 1, 2, 3, 0)},
         {4,
          rc::gen::element(capacity + 0, capacity + 1, capacity - 1, capacity / 2, capacity / 3)},
         {3, rc::gen::inRange<std::uint64_t>(0, capacity + 2)},
         {1, rc::gen::element(std::uint64_t{largest}, largest / 2, largest / 2 + 1)}});
  }

  Limit limit_;
  std::uint64_t most_debt_;
  Time start_;
  Time now_;
};

}  // namespace weir
