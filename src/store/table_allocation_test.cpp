// SPDX-License-Identifier: Apache-2.0
// Deciding takes no memory from the system: nothing in it can fail half-way, with a lock held.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <new>
#include <random>

#include "store/table_fixture.hpp"

namespace {

thread_local std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace weir::store {
namespace {

using namespace std::chrono_literals;

TEST(Table, B105_DecidingNeverAllocates) {
  Table table({.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 20});
  const std::array<CompiledLimit, 4> limits{
      CompiledLimit(token_bucket(9, 1s)), CompiledLimit(fixed_window(9, 1s)),
      CompiledLimit(sliding_counter(9, 1s)), CompiledLimit(sliding_log(9, 1s))};
  std::array<Op, 64> ops;
  std::array<Outcome, 64> outcomes;
  std::mt19937_64 random(1);
  StoreBatch batch;
  batch.outcomes = outcomes;
  const std::size_t before = allocations;
  for (int round = 0; round < 2000; ++round) {
    std::uint32_t request = 0;
    for (auto& op : ops) {
      op = {.key = key_of(random() % 20'000),
            .limit = &limits[random() % limits.size()],
            .cost = random() % 3,
            .request = request,
            .verb = Verb::acquire};
      if (random() % 3 == 0) ++request;
    }
    batch.now = at(std::chrono::milliseconds(round));
    batch.ops = ops;
    table.apply(batch);
    const std::array<CarryOver, 1> move{
        {{.from = ops[0].key, .before = ops[0].limit, .to = ops[1].key, .after = ops[1].limit}}};
    table.carry_over(batch.now, move);
    table.reset(ops[2].key, *ops[2].limit);
  }
  EXPECT_EQ(allocations, before);
  EXPECT_GT(table.stats(at(2s)).live_evictions, 0u);
}

}  // namespace
}  // namespace weir::store
