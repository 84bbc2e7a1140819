// SPDX-License-Identifier: Apache-2.0
// The bare decision of every algorithm, admitted and refused: no key, no table, no clock.
#include <benchmark/benchmark.h>

#include <bit>
#include <vector>

#include "limit/step.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

enum class Verdict : bool { admitted, refused };

constexpr Time start{Duration{1'750'000'000'000'000'000}};

// With `pause` between them all calls are admitted; at one instant, with the limit used up, none.
template <typename State>
void decide(benchmark::State& run, const CompiledLimit& limit, Duration pause, State& state) {
  const bool admitted = pause > Duration{};
  Time now = start;
  Verb verb = Verb::acquire;
  std::uint64_t cost = 1;
  std::uint64_t wrong = 0;
  for (auto _ : run) {
    benchmark::DoNotOptimize(verb);
    benchmark::DoNotOptimize(cost);
    now += pause;
    const Decision decision = step(limit, verb, cost, now, state);
    benchmark::DoNotOptimize(decision);
    wrong += decision.allowed == admitted ? 0 : 1;
  }
  if (wrong > 0) run.SkipWithError("the verdict is not the one that is measured");
}

template <typename State>
void fixed_size(benchmark::State& run, const Limit& limit, Verdict verdict) {
  const CompiledLimit compiled(limit);
  State state{};
  if (verdict == Verdict::refused) {
    const std::uint64_t too_much = limit.capacity() + 1;
    benchmark::DoNotOptimize(step(compiled, Verb::debit, too_much, start, state));
  }
  decide(run, compiled, verdict == Verdict::admitted ? limit.period() : Duration{}, state);
}

void word(benchmark::State& run, const Limit& limit, Verdict verdict) {
  fixed_size<WordState>(run, limit, verdict);
}

void wide(benchmark::State& run, const Limit& limit, Verdict verdict) {
  fixed_size<WideState>(run, limit, verdict);
}

// As many entries as the limit has units, evenly spread over its period.
void log(benchmark::State& run, const Limit& limit, Verdict verdict) {
  const CompiledLimit compiled(limit);
  std::vector<LogEntry> memory(std::bit_ceil(most_log_entries(compiled)));
  LogRing ring(memory);
  const Duration pause = limit.period() / static_cast<std::int64_t>(limit.count());
  for (Time at = start - limit.period() + pause; at <= start; at += pause) {
    benchmark::DoNotOptimize(step(compiled, Verb::acquire, 1, at, ring));
  }
  decide(run, compiled, verdict == Verdict::admitted ? pause : Duration{}, ring);
}

constexpr Limit third = token_bucket(3, 1s);  // a unit takes no whole number of nanoseconds
constexpr Limit third_queue = leaky_queue(3, 1s);

#define WEIR_BOTH(shape, name, limit)                                  \
  BENCHMARK_CAPTURE(shape, name##_admitted, limit, Verdict::admitted); \
  BENCHMARK_CAPTURE(shape, name##_refused, limit, Verdict::refused)

WEIR_BOTH(word, token_bucket, token_bucket(10, 1s));
WEIR_BOTH(word, leaky_queue, leaky_queue(10, 1s));
WEIR_BOTH(wide, token_bucket, third);
WEIR_BOTH(wide, leaky_queue, third_queue);
WEIR_BOTH(wide, fixed_window, fixed_window(10, 1s));
WEIR_BOTH(wide, sliding_counter, sliding_counter(10, 1s));
WEIR_BOTH(log, sliding_log, sliding_log(1000, 1s));

}  // namespace
}  // namespace weir
