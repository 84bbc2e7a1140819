// SPDX-License-Identifier: Apache-2.0
// Many threads at one table: together they never get one unit more than the limit, whatever moves,
// goes and comes meanwhile. Run under ThreadSanitizer too.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "store/snapshot.hpp"
#include "store/table_fixture.hpp"
#include "store/temporary_file.hpp"

namespace weir::store {
namespace {

using namespace std::chrono_literals;

constexpr int thread_count = 8;

/// Runs `work(thread)` on all threads, which start together.
void on_threads(const std::function<void(int)>& work) {
  std::barrier start(thread_count);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      work(thread);
    });
  }
  for (auto& thread : threads) thread.join();
}

class Threads : public testing::TestWithParam<Algorithm> {
 protected:
  CompiledLimit limit(std::uint64_t count, Duration period) const {
    return CompiledLimit(Limit(GetParam(), count, period));
  }
  /// A queue of burst B starts one and lets B wait.
  std::uint64_t admitted_of(std::uint64_t count) const {
    return GetParam() == Algorithm::leaky_queue ? count + 1 : count;
  }
};

INSTANTIATE_TEST_SUITE_P(Table, Threads,
                         testing::Values(Algorithm::token_bucket, Algorithm::leaky_queue,
                                         Algorithm::fixed_window, Algorithm::sliding_log,
                                         Algorithm::sliding_counter),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST_P(Threads, B15_AThousandAsksAtOneInstantGetFiveUnits) {
  Table table({.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 50});
  const auto five = limit(5, 60s);
  for (std::uint64_t repetition = 0; repetition < 100; ++repetition) {
    std::array<std::atomic<int>, 7> with_remaining{};
    std::atomic<std::uint64_t> admitted{0};
    on_threads([&](int) {
      for (int ask_number = 0; ask_number < 125; ++ask_number) {
        const auto decision = ask(table, at(0s), five, key_of(repetition)).decision;
        if (!decision.allowed) continue;
        ++admitted;
        ++with_remaining[decision.remaining];
      }
    });
    ASSERT_EQ(admitted, admitted_of(5));
    for (std::uint64_t remaining = 0; remaining < admitted_of(5); ++remaining) {
      ASSERT_EQ(with_remaining[remaining], 1) << remaining;
    }
  }
}

TEST_P(Threads, ManyKeysAtOneInstantGetExactlyTheirUnits) {
  constexpr std::uint64_t keys = 20'000;
  Table table({.memory_bytes = std::size_t{8} << 20, .log_percent = 50});
  const auto three = limit(3, 60s);
  std::vector<std::atomic<std::uint8_t>> admitted(keys);
  on_threads([&](int thread) {
    std::mt19937_64 random(static_cast<std::uint64_t>(thread));
    std::vector<std::uint64_t> order(keys);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (const auto key : order) {
      if (ask(table, at(0s), three, key_of(key)).decision.allowed) ++admitted[key];
    }
  });
  ASSERT_EQ(table.stats(at(0s)).live_evictions, 0u);
  for (const auto& count : admitted) ASSERT_EQ(count, admitted_of(3));
}

TEST(Threads, NoIntervalOfAPeriodAdmitsMoreWhileTheClockRuns) {
  Table table({.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 50});
  const CompiledLimit hundred(sliding_log(100, 1s));
  std::atomic<std::int64_t> clock_us{0};
  std::array<std::vector<std::int64_t>, thread_count> admitted;
  on_threads([&](int thread) {
    for (std::uint64_t other = 0; other < 2000; ++other) {
      const std::int64_t now_us = clock_us += 500;
      const Time now = at(std::chrono::microseconds(now_us));
      if (ask(table, now, hundred, key_of(1)).decision.allowed) {
        admitted[static_cast<std::size_t>(thread)].push_back(now_us);
      }
      // Others come and go, so that memory is taken over all the time.
      static_cast<void>(ask(table, now, hundred, key_of(other + 10 * (other % 7))));
    }
  });
  // A thread's time may be older than one that was decided before it; it then counts as that one.
  // So what is counted is between the times of asking, and a window may be off by the threads in
  // flight.
  std::vector<std::int64_t> all;
  for (const auto& times : admitted) all.insert(all.end(), times.begin(), times.end());
  std::sort(all.begin(), all.end());
  ASSERT_GT(all.size(), 600u);
  for (std::size_t first = 0; first + 100 + thread_count < all.size(); ++first) {
    ASSERT_GE(all[first + 100 + thread_count] - all[first], 1'000'000);
  }
}

TEST(Threads, B90_NoSecondAdmitsMoreThanItsThousandWhilePlacesAreReused) {
  Table table({.memory_bytes = std::size_t{512} << 10, .log_percent = 50});
  const CompiledLimit thousand(sliding_log(1000, 1s));
  const std::array<CompiledLimit, 3> others{CompiledLimit(token_bucket(3, 30ms)),
                                            CompiledLimit(sliding_counter(3, 7ms)),
                                            CompiledLimit(sliding_log(3, 10ms))};
  Duration now{};
  std::array<std::vector<Duration>, thread_count> admitted;
  std::mt19937_64 lengths(1);
  // While the clock stands all ask as fast as they can; so the times of asking are exact.
  std::barrier tick(thread_count,
                    [&]() noexcept { now += std::chrono::microseconds(1 + lengths() % 20'000); });
  on_threads([&](int thread) {
    std::mt19937_64 random(static_cast<std::uint64_t>(thread));
    while (now < 10s) {
      for (int asks = 0; asks < 20; ++asks) {
        if (ask(table, at(now), thousand, key_of(0)).decision.allowed) {
          admitted[static_cast<std::size_t>(thread)].push_back(now);
        }
        // Others come, owe for a moment, and leave their places to the next.
        static_cast<void>(ask(table, at(now), others[random() % others.size()], key_of(random())));
      }
      tick.arrive_and_wait();
    }
  });
  EXPECT_GT(table.stats(at(now)).expired_reuses, 10'000u);
  ASSERT_EQ(table.stats(at(now)).live_evictions, 0u);
  std::vector<Duration> all;
  for (const auto& times : admitted) all.insert(all.end(), times.begin(), times.end());
  std::sort(all.begin(), all.end());
  ASSERT_GT(all.size(), 9000u);
  for (std::size_t first = 0; first + 1000 < all.size(); ++first) {
    ASSERT_GE(all[first + 1000] - all[first], 1s) << first;
  }
}

TEST(Threads, RequestsOfSeveralKeysAreAllOrNothingAndNeverWaitForEachOther) {
  constexpr std::uint64_t keys = 6;
  constexpr std::uint64_t units = 500;
  Table table({.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 50});
  const std::array<CompiledLimit, 3> limits{CompiledLimit(token_bucket(units, 3600s)),
                                            CompiledLimit(fixed_window(units, 3600s)),
                                            CompiledLimit(sliding_log(units, 3600s))};
  const auto limit_of = [&](std::uint64_t key) { return &limits[key % limits.size()]; };
  std::array<std::atomic<std::uint64_t>, keys> charged{};
  on_threads([&](int thread) {
    std::mt19937_64 random(static_cast<std::uint64_t>(thread));
    for (int request = 0; request < 1000; ++request) {
      std::vector<Op> ops;
      for (std::uint64_t key = random() % 2; key < keys; key += 1 + random() % 3) {
        ops.push_back({.key = key_of(key), .limit = limit_of(key)});
      }
      std::shuffle(ops.begin(), ops.end(), random);
      const auto outcomes = apply(table, at(0s), ops);
      const auto allowed = [](const Outcome& outcome) { return outcome.decision.allowed; };
      if (!std::all_of(outcomes.begin(), outcomes.end(), allowed)) continue;
      for (std::uint64_t key = 0; key < keys; ++key) {
        for (const auto& op : ops) charged[key] += op.key == key_of(key) ? 1 : 0;
      }
    }
  });
  for (std::uint64_t key = 0; key < keys; ++key) {
    const auto left = ask(table, at(0s), *limit_of(key), key_of(key), 1, Verb::peek).decision;
    EXPECT_EQ(left.remaining, units - charged[key]) << key;
  }
  EXPECT_GT(charged[0], 0u);
}

TEST(Threads, KeysThatComeGoAndMoveInAFullTableAreDecidedWithoutARace) {
  Table table({.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 20});
  const std::array<CompiledLimit, 3> limits{CompiledLimit(token_bucket(20, 1s)),
                                            CompiledLimit(sliding_counter(20, 1s)),
                                            CompiledLimit(sliding_log(20, 1s))};
  on_threads([&](int thread) {
    std::mt19937_64 random(static_cast<std::uint64_t>(thread));
    for (int step = 0; step < 4000; ++step) {
      const auto& limit = limits[random() % limits.size()];
      const Time now = at(std::chrono::milliseconds(step / 2));
      const Key key = key_of(random() % 20'000);
      switch (random() % 8) {
        case 0: table.reset(key, limit); break;
        case 1: {
          const std::array<CarryOver, 1> move{{{.from = key,
                                                .before = &limit,
                                                .to = key_of(random() % 20'000),
                                                .after = &limits[0]}}};
          table.carry_over(now, move);
          break;
        }
        case 2:
          static_cast<void>(apply(table, now,
                                  {{.key = key, .limit = &limits[0]},
                                   {.key = key, .limit = &limits[1]},
                                   {.key = key, .limit = &limits[2], .part = 1}}));
          break;
        default: static_cast<void>(ask(table, now, limit, key, 1 + random() % 3)); break;
      }
    }
  });
  const auto stats = table.stats(at(2s), Table::Count::exact);
  EXPECT_GT(stats.live_evictions, 0u);
  EXPECT_LE(stats.live_cells, stats.cells);
}

TEST(Threads, ASnapshotTakenMeanwhileHoldsEveryKeyThatOwesThroughout) {
  constexpr std::uint64_t steady_keys = 200;  // so few that no two groups are full of them
  const TemporaryFile file;
  Table table({.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 10});
  const CompiledLimit bucket(token_bucket(100, 1000s));
  const auto expect_saved = [&](Table& saved, const std::string& path) {
    EXPECT_TRUE(write_snapshot(saved, test_secret, at(0s), path).ok());
    const auto snapshot = Snapshot::read(path);
    ASSERT_TRUE(snapshot.ok() && snapshot->has_value());
    Table copy({.memory_bytes = std::size_t{1} << 20});
    (*snapshot)->restore_into(copy, at(0s));
    for (std::uint64_t key = 0; key < steady_keys; ++key) {
      const auto left = ask(copy, at(0s), bucket, key_of(key), 1, Verb::peek).decision.remaining;
      EXPECT_EQ(left, 10u) << key;
    }
  };
  // Keys that others never push out, since they owe most.
  for (std::uint64_t key = 0; key < steady_keys; ++key) {
    static_cast<void>(ask(table, at(0s), bucket, key_of(key), 90));
  }
  std::atomic<bool> done{false};
  on_threads([&](int thread) {
    if (thread == 0) {
      for (int round = 0; round < 10; ++round) expect_saved(table, file.path());
      done = true;
    }
    std::mt19937_64 random(static_cast<std::uint64_t>(thread));
    while (!done) {  // new keys push others about
      static_cast<void>(ask(table, at(0s), bucket, key_of(steady_keys + random() % 100'000)));
    }
  });
  EXPECT_GT(table.stats(at(0s)).relocations, 0u);
}

}  // namespace
}  // namespace weir::store
