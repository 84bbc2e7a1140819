// SPDX-License-Identifier: Apache-2.0
// What holds for every algorithm, every limit and every history.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "limit/random_history.hpp"

namespace weir {
namespace {

constexpr std::uint64_t any_debt = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t modest_debt = 50'000'000;
constexpr Duration ns{1};

class Properties : public testing::TestWithParam<Algorithm> {
 protected:
  // Checks that `holds` for each call of random histories; it gets the counter before the call.
  template <typename Property>
  static void check(std::uint64_t most_debt, Property property) {
    const bool holds = rc::check([&] {
      const Limit limit = random_limit(GetParam());
      RC_LOG() << limit.to_string() << '\n';
      TestCounter counter(limit);
      RandomCalls calls(limit, most_debt);
      Decision last;
      for (int i = 0; i < 20; ++i) {
        const Call call = calls.next(last);
        RC_LOG() << call << '\n';
        property(static_cast<const TestCounter&>(counter), call);
        last = counter.step(call.verb, call.cost, call.now);
      }
    });
    EXPECT_TRUE(holds);
  }

  // The first instant at which everything is there again, where it lies in time.
  static bool ends_in_time(Time now, Duration wait) {
    return wait != never && wait <= latest_time - now;
  }
};

TEST_P(Properties, B04_WaitingAsToldIsAdmittedAndANanosecondLessIsNot) {
  check(any_debt, [](const TestCounter& counter, const Call& call) {
    const Decision told = counter.peek(call.cost, call.now);
    RC_ASSERT((told.retry_after == Duration{}) == told.allowed);
    if (told.allowed || !ends_in_time(call.now, told.retry_after)) return;
    const Time then = call.now + told.retry_after;
    RC_ASSERT(TestCounter(counter).acquire(call.cost, then).allowed);
    RC_ASSERT(!TestCounter(counter).acquire(call.cost, then - ns).allowed);
  });
}

TEST_P(Properties, B02_ARefusedCallAPeekAndACostOfZeroChangeNothing) {
  check(any_debt, [](const TestCounter& counter, const Call& call) {
    TestCounter after(counter);
    const Decision decision = after.step(call.verb, call.cost, call.now);
    const bool refused = call.verb == Verb::acquire && !decision.allowed;
    if (refused || call.verb == Verb::peek || call.cost == 0) RC_ASSERT(after == counter);
    RC_ASSERT(decision.allowed || decision.delay == Duration{});
  });
}

TEST_P(Properties, PeekGivesTheVerdictOfAcquireWithTheNumbersThatStand) {
  check(any_debt, [](const TestCounter& counter, const Call& call) {
    const Decision seen = counter.peek(call.cost, call.now);
    const Decision taken = TestCounter(counter).acquire(call.cost, call.now);
    RC_ASSERT(seen.allowed == taken.allowed);
    RC_ASSERT(seen.retry_after == taken.retry_after);
    RC_ASSERT(seen.delay == taken.delay);
    const Decision question = counter.peek(0, call.now);
    RC_ASSERT(seen.remaining == question.remaining);
    RC_ASSERT(seen.reset_after == question.reset_after);
    if (!taken.allowed) RC_ASSERT(taken == seen);
  });
}

TEST_P(Properties, DebitTellsWhatAcquireWouldHaveSaid) {
  check(any_debt, [](const TestCounter& counter, const Call& call) {
    const Decision taken = TestCounter(counter).acquire(call.cost, call.now);
    const Decision forced = TestCounter(counter).debit(call.cost, call.now);
    RC_ASSERT(forced.allowed == taken.allowed);
    RC_ASSERT(forced.retry_after == taken.retry_after);
    if (taken.allowed) RC_ASSERT(forced == taken);
  });
}

TEST_P(Properties, B27_ARefundOfWhatWasTakenRestoresAndNeverGoesBeyondFull) {
  check(modest_debt, [](const TestCounter& counter, const Call& call) {
    TestCounter after(counter);
    const Decision before = after.peek(1, call.now);
    const std::uint64_t cost = std::min(call.cost, modest_debt);
    const Decision taken = after.acquire(cost, call.now);
    if (taken.allowed && cost > 0) {
      RC_ASSERT(after.refund(cost, call.now).allowed);
      RC_ASSERT(after.peek(1, call.now) == before);
    }
    const Decision full = TestCounter(after.limit().limit).peek(1, call.now);
    RC_ASSERT(after.refund(any_debt, call.now).remaining <= full.remaining);
    RC_ASSERT(after.peek(1, call.now).remaining <= full.remaining);
  });
}

TEST_P(Properties, RemainingIsTheLargestCostThatIsAdmitted) {
  check(any_debt, [](const TestCounter& counter, const Call& call) {
    const Decision now = counter.peek(1, call.now);
    if (GetParam() == Algorithm::leaky_queue) {
      // A queue takes any cost; its `remaining` counts single units that still may join.
      RC_ASSERT((now.remaining > 0) == now.allowed);
      TestCounter joined(counter);
      if (now.remaining > 1) RC_ASSERT(joined.acquire(now.remaining - 1, call.now).allowed);
      RC_ASSERT(joined.acquire(1, call.now).allowed == (now.remaining > 0));
      RC_ASSERT(!joined.acquire(1, call.now).allowed);
      return;
    }
    if (now.remaining > 0) RC_ASSERT(counter.peek(now.remaining, call.now).allowed);
    RC_ASSERT(!counter.peek(now.remaining + 1, call.now).allowed);
  });
}

TEST_P(Properties, ResetAfterIsTheLeastWaitUntilEverythingIsThereAgain) {
  check(any_debt, [](const TestCounter& counter, const Call& call) {
    const Decision now = counter.peek(1, call.now);
    const std::uint64_t full = TestCounter(counter.limit().limit).peek(1, call.now).remaining;
    if (!ends_in_time(call.now, now.reset_after)) return;
    const Time then = call.now + now.reset_after;
    RC_ASSERT(counter.peek(1, then).remaining == full);
    const bool window = GetParam() == Algorithm::fixed_window && now.remaining == full;
    if (now.reset_after > Duration{} && !window) {
      RC_ASSERT(counter.peek(1, then - ns).remaining < full);
    }
  });
}

TEST_P(Properties, FromIdleOnAStateDecidesLikeAFreshOne) {
  check(any_debt, [](const TestCounter& counter, const Call& call) {
    const Time idle = std::max(counter.idle_from(), call.now);
    if (idle > latest_time || *rc::gen::inRange(0, 5) > 0) return;
    TestCounter used(counter);
    TestCounter fresh(counter.limit().limit);
    RandomCalls calls(counter.limit().limit, any_debt);
    Decision last;
    for (int i = 0; i < 8; ++i) {
      const Call next = calls.next(last);
      const Duration since_start = next.now - calls.start();
      if (!ends_in_time(idle, since_start)) return;
      const Time then = idle + since_start;
      last = used.step(next.verb, next.cost, then);
      RC_ASSERT(last == fresh.step(next.verb, next.cost, then));
    }
  });
}

TEST_P(Properties, B08_UntilIdleAStateCanBeToldFromAFreshOne) {
  check(any_debt, [](const TestCounter& counter, const Call& call) {
    const Time idle = counter.idle_from();
    if (idle <= call.now || idle > latest_time) return;
    const TestCounter fresh(counter.limit().limit);
    RC_ASSERT(counter.peek(1, idle - ns) != fresh.peek(1, idle - ns));
  });
}

TEST_P(Properties, UsedUnitsMakeAStateThatIsNoRoomier) {
  check(modest_debt, [](const TestCounter& counter, const Call& call) {
    const std::uint64_t used = counter.used_units(call.now);
    const std::uint64_t left = counter.peek(1, call.now).remaining;
    TestCounter carried(counter.limit().limit);
    const Decision decision = carried.debit(used, call.now);
    RC_ASSERT(decision.remaining <= left);
    RC_ASSERT(left - decision.remaining <= 1);
    RC_ASSERT(carried.used_units(call.now) == used);
  });
}

TEST_P(Properties, B10_TimeThatRunsBackwardsGainsNothing) {
  check(modest_debt, [](const TestCounter& counter, const Call& call) {
    const Duration back{*rc::gen::inRange<std::int64_t>(0, (call.now - Time{}).count() + 1)};
    TestCounter late(counter);
    const std::uint64_t left = late.step(call.verb, call.cost, call.now).remaining;
    RC_ASSERT(late.peek(1, call.now - back).remaining <= left);
  });
}

struct Admission {
  Time start;
  std::uint64_t cost;
};

// The units of the admissions `from` to `to`, both included.
Uint128 units(const std::vector<Admission>& admitted, std::size_t from, std::size_t to) {
  Uint128 sum = 0;
  for (std::size_t i = from; i <= to; ++i) sum += admitted[i].cost;
  return sum;
}

Uint128 elapsed_ns(Time from, Time to) { return static_cast<Uint128>((to - from).count()); }

// The most that may start in the closed interval between two admissions, times the period.
bool is_within_bound(const Limit& limit, const std::vector<Admission>& admitted, std::size_t from,
                     std::size_t to) {
  const auto period = static_cast<Uint128>(limit.period().count());
  const Time first = admitted[from].start;
  const Time last = admitted[to].start;
  switch (limit.algorithm()) {
    case Algorithm::token_bucket:
      return units(admitted, from, to) * period <=
             limit.capacity() * period + elapsed_ns(first, last) * limit.count();
    case Algorithm::leaky_queue:  // the work of all but the last is done when the last one starts
      return (units(admitted, from, to) - admitted[to].cost) * period <=
             (elapsed_ns(first, last) + 1) * limit.count();
    case Algorithm::sliding_log:
      return last - first >= limit.period() || units(admitted, from, to) <= limit.count();
    default: {
      const bool same_window =
          first.time_since_epoch() / limit.period() == last.time_since_epoch() / limit.period();
      return !same_window || units(admitted, from, to) <= limit.count();
    }
  }
}

TEST_P(Properties, NoIntervalAdmitsMoreThanTheBound) {
  const bool holds = rc::check([] {
    const Limit limit = random_limit(GetParam());
    RC_LOG() << limit.to_string() << '\n';
    TestCounter counter(limit);
    RandomCalls calls(limit, modest_debt);
    std::vector<Admission> admitted;
    Decision last;
    for (int i = 0; i < 40; ++i) {
      const Call call = calls.next(last);
      last = counter.acquire(call.cost, call.now);
      const bool took = last.allowed && call.cost > 0;
      if (took && ends_in_time(call.now, last.delay)) {
        admitted.push_back({call.now + last.delay, call.cost});
      }
    }
    for (std::size_t to = 0; to < admitted.size(); ++to) {
      for (std::size_t from = 0; from <= to; ++from) {
        RC_ASSERT(is_within_bound(limit, admitted, from, to));
      }
    }
  });
  EXPECT_TRUE(holds);
}

INSTANTIATE_TEST_SUITE_P(Properties, Properties, testing::ValuesIn(all_algorithms),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace weir
