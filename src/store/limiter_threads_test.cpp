// SPDX-License-Identifier: Apache-2.0
// Many threads at one limiter, and at one key of a keyed one.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <weir/keyed_limiter.hpp>
#include <weir/limiter.hpp>

namespace weir {
namespace {

using namespace std::chrono_literals;

/// What eight threads get that ask until they are refused, twenty times.
template <typename Ask>
std::multiset<std::uint64_t> remaining_of_admitted(Ask ask) {
  constexpr int thread_count = 8;
  std::array<std::vector<std::uint64_t>, thread_count> got;
  std::vector<std::thread> threads;
  for (auto& mine : got) {
    threads.emplace_back([&] {
      for (int refused = 0; refused < 20;) {
        const Decision decision = ask();
        if (decision) mine.push_back(decision.remaining);
        refused += decision ? 0 : 1;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::multiset<std::uint64_t> all;
  for (const auto& mine : got) all.insert(mine.begin(), mine.end());
  return all;
}

class EveryLimit : public testing::TestWithParam<Limit> {
 protected:
  /// Each number of remaining units once.
  std::multiset<std::uint64_t> expected() const {
    std::multiset<std::uint64_t> numbers;
    const bool queues = GetParam().algorithm() == Algorithm::leaky_queue;
    const std::uint64_t most = GetParam().capacity() + (queues ? 1 : 0);  // one starts, others wait
    for (std::uint64_t number = 0; number < most; ++number) numbers.insert(number);
    return numbers;
  }
};

INSTANTIATE_TEST_SUITE_P(Limiters, EveryLimit,
                         testing::Values(token_bucket(2000, 3600s), token_bucket(1999, 3600s),
                                         leaky_queue(2000, 3600s), fixed_window(2000, 3600s),
                                         sliding_log(2000, 3600s), sliding_counter(2000, 3600s)));

TEST_P(EveryLimit, B15_ThreadsNeverGetMoreThanTheLimitAndEachARemainingOfItsOwn) {
  const ManualClock clock(Time{1000h});
  Limiter limiter(GetParam(), clock);
  EXPECT_EQ(remaining_of_admitted([&] { return limiter.acquire(); }), expected());
}

TEST_P(EveryLimit, B113_ThreadsShareTheKeysOfAKeyedLimiter) {
  const ManualClock clock(Time{1000h});
  KeyedLimiter limiter({GetParam()}, {.memory_bytes = std::size_t{1} << 20, .clock = &clock});
  EXPECT_EQ(remaining_of_admitted([&] { return limiter.acquire("key"); }), expected());
}

}  // namespace
}  // namespace weir
