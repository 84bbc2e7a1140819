// SPDX-License-Identifier: Apache-2.0
// The sliding log's state: a ring of (instant, running sum of units) in memory that the store
// lends.
//
//     head                                  head + size
//      v                                        v
//    [ t0:c0 | t1:c1 | t2:c2 | ... | tn:cn | free ... ]     instants ascend strictly, sums ascend
//
// The running sum makes the units up to any entry one subtraction, so finding when enough of them
// have left the window is a binary search: O(log n) however large the limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir {

struct LogEntry {
  std::int64_t at_ns;   ///< the instant of admission
  std::uint64_t total;  ///< units admitted up to and with this entry, modulo 2^64
};

/// A view: the header fields live where the store keeps them, the entries are borrowed. The number
/// of entries that the memory can hold is 0 or a power of two.
class LogRing {
 public:
  /// An entry holds at most so many units, eight times the largest limit; what is beyond is cut. So
  /// the sum of as many entries as a limit can need stays within 64 bits.
  static constexpr std::uint64_t most_units_of_entry = std::uint64_t{1} << 33;

  LogRing() noexcept = default;
  explicit LogRing(std::span<LogEntry> memory) noexcept : memory_(memory) {}

  [[nodiscard]] bool has_room() const noexcept { return size_ < memory_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// The `index`-th oldest entry.
  [[nodiscard]] const LogEntry& operator[](std::size_t index) const noexcept {
    return memory_[(head_ + index) & (memory_.size() - 1)];
  }

  /// Only where not `empty()`.
  [[nodiscard]] const LogEntry& newest() const noexcept { return (*this)[size_ - 1]; }

  /// The units of all entries.
  [[nodiscard]] std::uint64_t used() const noexcept { return used_by_oldest(size_); }

  /// The units of the `count` oldest entries.
  [[nodiscard]] std::uint64_t used_by_oldest(std::size_t count) const noexcept {
    return count == 0 ? 0 : (*this)[count - 1].total - base_;
  }

  /// How many entries are of `at_ns` or earlier.
  [[nodiscard]] std::size_t count_until(std::int64_t at_ns) const noexcept;

  /// The least number of oldest entries that together hold `units` or more; `size()` where all hold
  /// less.
  [[nodiscard]] std::size_t count_holding(std::uint64_t units) const noexcept;

  void drop_oldest(std::size_t count) noexcept;

  /// The oldest entry's units join the next one. Only where there are two.
  void merge_oldest() noexcept;

  /// Adds units at an instant; an instant not after the newest one adds to the newest entry. Needs
  /// room for one more.
  void push(std::int64_t at_ns, std::uint64_t units) noexcept;

  /// Takes up to `units` back from the newest entries.
  void take_from_newest(std::uint64_t units) noexcept;

  /// Moves the entries to another, empty piece of memory with at least `size()` places.
  void move_to(std::span<LogEntry> memory) noexcept;

  [[nodiscard]] std::span<LogEntry> memory() const noexcept { return memory_; }

 private:
  [[nodiscard]] LogEntry& entry(std::size_t index) noexcept {
    return memory_[(head_ + index) & (memory_.size() - 1)];
  }

  std::span<LogEntry> memory_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  std::uint64_t base_ = 0;  // the running sum just before the oldest entry
};

}  // namespace weir
