// SPDX-License-Identifier: Apache-2.0
// How long decisions take: a histogram that one loop writes, wait-free, and anyone reads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include <weir/clock.hpp>

namespace weir::front {

/// Counts of decisions by how long they took, from the bytes' arrival to the verdict.
struct LatencyCounts {
  /// The buckets' upper bounds. What takes longer than the last is counted in `beyond`.
  static constexpr std::array bounds{
      Duration{1'000},       Duration{2'500},        Duration{5'000},      Duration{10'000},
      Duration{25'000},      Duration{50'000},       Duration{100'000},    Duration{250'000},
      Duration{500'000},     Duration{1'000'000},    Duration{2'500'000},  Duration{5'000'000},
      Duration{10'000'000},  Duration{25'000'000},   Duration{50'000'000}, Duration{100'000'000},
      Duration{250'000'000}, Duration{1'000'000'000}};

  std::array<std::uint64_t, bounds.size()> within{};  ///< not cumulative
  std::uint64_t beyond = 0;
  Duration sum{};
};

class LatencyHistogram {
 public:
  /// `count` decisions took `elapsed` each. The owning loop's thread only.
  void observe(Duration elapsed, std::uint64_t count) noexcept {
    elapsed = std::max(elapsed, Duration::zero());
    std::size_t at = 0;
    while (at < LatencyCounts::bounds.size() && elapsed > LatencyCounts::bounds[at]) ++at;
    add(buckets_[at], count);
    add(sum_ns_, count * static_cast<std::uint64_t>(elapsed.count()));
  }

  void add_to(LatencyCounts& counts) const noexcept {
    for (std::size_t at = 0; at < counts.within.size(); ++at) {
      counts.within[at] += buckets_[at].load(std::memory_order_relaxed);
    }
    counts.beyond += buckets_.back().load(std::memory_order_relaxed);
    counts.sum += Duration{sum_ns_.load(std::memory_order_relaxed)};
  }

 private:
  using Count = std::atomic<std::uint64_t>;

  /// One writer: no locked instruction is needed.
  static void add(Count& count, std::uint64_t by) noexcept {
    count.store(count.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  std::array<Count, LatencyCounts::bounds.size() + 1> buckets_{};
  Count sum_ns_{0};
};

/// The histograms of all loops.
class LatencyBook {
 public:
  /// A new histogram for one loop; it stays as long as the book.
  [[nodiscard]] LatencyHistogram& open() {
    const std::lock_guard lock(mutex_);
    return histograms_.emplace_back();
  }

  [[nodiscard]] LatencyCounts counts() const {
    LatencyCounts counts;
    const std::lock_guard lock(mutex_);
    for (const auto& histogram : histograms_) histogram.add_to(counts);
    return counts;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<LatencyHistogram> histograms_;
};

}  // namespace weir::front
