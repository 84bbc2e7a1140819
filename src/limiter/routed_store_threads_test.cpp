// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "limiter/routed_store.hpp"
#include "limiter/shared_store_double.hpp"

namespace weir::limiter {
namespace {

/// A store that answers every other batch, from many threads at once.
class Flickering final : public Store {
 public:
  Applied apply(StoreBatch& batch) noexcept override {
    const bool fails = asked_.fetch_add(1, std::memory_order_relaxed) % 2 == 0;
    table_.apply(batch);
    if (!fails) return Applied::now;
    for (auto& outcome : batch.outcomes) {
      outcome = {.decision = {}, .status = Outcome::Status::unavailable};
    }
    return Applied::now;
  }
  void carry_over(Time, std::span<const CarryOver>) noexcept override {}
  void reset(const Key&, const CompiledLimit&) noexcept override {}

 private:
  store::Table table_{{.memory_bytes = std::size_t{1} << 20}};
  std::atomic<std::uint64_t> asked_{0};
};

TEST(RoutedStoreThreads, AllLoopsShareOneFallback) {
  constexpr int threads = 8;
  constexpr std::uint64_t share = 50;
  store::Table table({.memory_bytes = std::size_t{1} << 20});
  Flickering store;
  RoutedStore router(table, {{.store = &store, .on_change = {}}});
  const CompiledLimit limit(fixed_window(1'000'000, std::chrono::hours{1}));
  const SharedTerms terms{.store = 0,
                          .on_failure = OnStoreFailure::local,
                          .share = CompiledLimit(fixed_window(share, std::chrono::hours{1})),
                          .pack = {},
                          .longest_state = {}};
  std::atomic<std::uint64_t> by_share{0};
  std::vector<std::jthread> loops;
  for (int thread = 0; thread < threads; ++thread) {
    loops.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        const Op op{.key = {1, 2}, .subject = {3, 4}, .limit = &limit, .shared = &terms};
        Outcome outcome;
        StoreBatch batch;
        batch.now = Time{std::chrono::hours{400'000}};
        batch.ops = {&op, 1};
        batch.outcomes = {&outcome, 1};
        router.apply(batch);
        const bool fallback = outcome.decision.authority == Authority::fallback;
        if (fallback && outcome.decision.allowed) by_share.fetch_add(1);
      }
    });
  }
  loops.clear();
  EXPECT_EQ(by_share.load(), share);
}

}  // namespace
}  // namespace weir::limiter
