// SPDX-License-Identifier: Apache-2.0
// How table_bench takes the time of a row.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <barrier>
#include <chrono>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include "table_bench_streams.hpp"

namespace weir::bench {

inline double thread_cpu_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

/// Nanoseconds a decision of one thread: its processor time, so that what else runs on the machine
/// counts less.
template <typename Run>
double time_of(const Keys& keys, Run run) {
  const double from = thread_cpu_ns();
  run(keys);
  return (thread_cpu_ns() - from) / double(keys.size());
}

/// Keeps this thread on the processor of that number, so that the threads of a row run at once:
/// else they may take turns on one processor for as long as a short row takes.
inline void stay_on(std::size_t processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

/// Nanoseconds a decision, over the decisions of all threads. Of several threads the time between
/// their common start and the end of the last is taken: while one waits for another's mutex it
/// sleeps, and its processor time would not show that.
template <typename Run>
double time_of(std::span<const Keys> streams, Run run) {
  if (streams.size() == 1) return time_of(streams[0], run);
  using Clock = std::chrono::steady_clock;
  Clock::time_point from;
  std::barrier together(std::ssize(streams), [&]() noexcept { from = Clock::now(); });
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < streams.size(); ++thread) {
    threads.emplace_back([&, thread] {
      stay_on(thread);
      together.arrive_and_wait();
      run(streams[thread]);
    });
  }
  for (auto& thread : threads) thread.join();
  const std::chrono::duration<double, std::nano> took = Clock::now() - from;
  return took.count() / double(streams.size() * streams[0].size());
}

}  // namespace weir::bench
