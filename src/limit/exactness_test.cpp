// SPDX-License-Identifier: Apache-2.0
// Every decision of random histories against the exact model: verdicts and numbers, to the
// nanosecond.
#include <gtest/gtest.h>

#include "limit/exact_model.hpp"
#include "limit/random_history.hpp"

namespace weir {
namespace {

using Whole = ExactModel::Whole;

// Debts below this saturate nowhere: not in a log's entry, the least of the counts.
constexpr std::uint64_t most_exact_debt = 50'000'000;

Whole ns_of(Time time) { return time.time_since_epoch().count(); }

/// A counter beside its model.
class Compared {
 public:
  explicit Compared(const Limit& limit) : limit_(limit), counter_(limit), model_(limit) {}

  Decision call(const Call& call) {
    const Whole now = ns_of(call.now);
    const bool admits = model_.admits(call.cost, now);
    const ExactModel before = model_;
    const Decision decision = counter_.step(call.verb, call.cost, call.now);
    apply(call, admits);

    RC_ASSERT(decision.allowed == (admits || call.verb == Verb::refund));
    if (call.verb != Verb::refund) check_wait(before, decision, call);
    RC_ASSERT(model_.has_remaining(decision.remaining, now));
    check_reset(decision, now);
    check_delay(before, decision, call);
    return decision;
  }

  /// Whether the call keeps within what is held exactly: a word's debts end within 292 years, and a
  /// log with more entries than units has forgotten which of the oldest a refund would bring back.
  [[nodiscard]] bool is_exact(const Call& call) const {
    if (call.verb == Verb::refund) return !log_overflowed();
    if (counter_.limit().shape != Shape::word || call.verb == Verb::peek) return true;
    ExactModel later = model_;
    later.take(call.cost, ns_of(call.now));
    return later.is_full(never.count() - 1);
  }

 private:
  void apply(const Call& call, bool admits) {
    const Whole now = ns_of(call.now);
    if (call.verb == Verb::refund) return model_.give_back(call.cost, now);
    const bool takes = call.verb == Verb::debit || (call.verb == Verb::acquire && admits);
    if (takes && call.cost > 0) model_.take(call.cost, now);
    overflowed_ = overflowed_ || counter_.ring().size() > limit_.count();
  }

  [[nodiscard]] bool log_overflowed() const { return overflowed_; }

  static void check_wait(const ExactModel& before, const Decision& decision, const Call& call) {
    const Whole now = ns_of(call.now);
    if (decision.retry_after == never) {
      RC_ASSERT(!before.admits(call.cost, now + never.count() - 1));
      return;
    }
    const Whole wait = decision.retry_after.count();
    RC_ASSERT(before.admits(call.cost, now + wait));
    if (wait > 0) RC_ASSERT(!before.admits(call.cost, now + wait - 1));
    RC_ASSERT((wait == 0) == before.admits(call.cost, now));
  }

  void check_reset(const Decision& decision, const Whole& now) const {
    const Whole wait = decision.reset_after.count();
    if (limit_.algorithm() == Algorithm::fixed_window) {
      RC_ASSERT((now + wait) % limit_.period().count() == 0);
      RC_ASSERT(wait > 0 && wait <= limit_.period().count());
      return;
    }
    if (decision.reset_after != never) RC_ASSERT(model_.is_full(now + wait));
    if (wait > 0) RC_ASSERT(!model_.is_full(now + wait - 1));
  }

  void check_delay(const ExactModel& before, const Decision& decision, const Call& call) const {
    const bool waits = limit_.algorithm() == Algorithm::leaky_queue && decision.allowed &&
                       call.verb != Verb::refund;
    const auto backlog = waits ? before.backlog(ns_of(call.now)) : ExactModel::Fraction(0);
    const ExactModel::Fraction delay = decision.delay.count();
    RC_ASSERT(decision.delay == never || delay >= backlog);
    RC_ASSERT(delay < backlog + 1);
  }

  Limit limit_;
  TestCounter counter_;
  ExactModel model_;
  bool overflowed_ = false;
};

class Exactness : public testing::TestWithParam<Algorithm> {};

TEST_P(Exactness, EveryDecisionOfARandomHistoryIsExact) {
  const bool holds = rc::check([algorithm = GetParam()] {
    const Limit limit = random_limit(algorithm);
    RC_LOG() << limit.to_string() << '\n';
    Compared compared(limit);
    RandomCalls calls(limit, most_exact_debt);
    Decision last;
    for (int i = 0; i < 40; ++i) {
      const Call call = calls.next(last);
      if (!compared.is_exact(call)) continue;
      RC_LOG() << call << '\n';
      last = compared.call(call);
    }
  });
  EXPECT_TRUE(holds);
}

INSTANTIATE_TEST_SUITE_P(Exactness, Exactness, testing::ValuesIn(all_algorithms),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace weir
