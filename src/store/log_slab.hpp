// SPDX-License-Identifier: Apache-2.0
// The memory of the sliding logs: a buddy allocator over lines of 64 bytes.
//
//     lines   [ head | entries: 2 lines | head | free: 4 lines          | ... ]
//     map     [  H   |  E1     |  .     |  H   |  F2   |  .  |  .  |  . | ... ]   a byte a line
//
// A log has a head of one line: its ring and its first entry. When it needs more, its entries move
// to blocks of 4, 8, 16, ... entries. Whoever holds the lock of the group where a log's entry
// stands owns its head and its block; what is free belongs to the slab's lock, which is taken only
// when a log begins, grows or ends.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/spin_lock.hpp"
#include "base/zero_memory.hpp"
#include "limit/log_ring.hpp"
#include "store/geometry.hpp"

namespace weir::store {

/// A log's first line, on which everything of the log hangs.
struct alignas(64) LogHead {
  LogRing ring;
  LogEntry first;
  std::atomic<GroupIndex> group;  ///< where its entry stands; read by the sampler without that lock
};
static_assert(sizeof(LogHead) == 64);

class LogSlab {
 public:
  /// The index of a log's head.
  using Handle = std::uint32_t;

  /// A log that may be asked to go.
  struct Candidate {
    Handle handle;
    GroupIndex group;
  };

  /// Manages `bytes`, its own map included.
  explicit LogSlab(std::size_t bytes);

  /// A new, empty log with room for one entry, or nothing where memory is used up.
  [[nodiscard]] std::optional<Handle> begin(GroupIndex group) noexcept;

  /// Moves the log to memory for more entries. False where there is none: it stays as it was.
  [[nodiscard]] bool grow(Handle log) noexcept;

  void end(Handle log) noexcept;

  [[nodiscard]] LogHead& head(Handle log) noexcept { return *reinterpret_cast<LogHead*>(at(log)); }

  /// Fills `found` with logs from random places, one more than once perhaps; returns how many.
  [[nodiscard]] std::size_t sample(std::span<Candidate> found) noexcept;

  [[nodiscard]] std::size_t bytes_used() const noexcept {
    return lines_used_.load(std::memory_order_relaxed) * line_bytes;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return std::size_t{line_count_} * line_bytes; }

 private:
  using Line = std::uint32_t;
  using Order = std::uint8_t;
  enum class Kind : std::uint8_t { inside = 0, head = 1, entries = 2, free = 64 };  // free + order

  static constexpr std::size_t line_bytes = 64;
  static constexpr Order orders = 27;  // the largest block holds 8 GB
  static constexpr Line none = ~Line{0};

  /// Written into the first line of a free block.
  struct FreeNode {
    Line next;
    Line previous;
  };

  [[nodiscard]] std::byte* at(Line line) const noexcept {
    return static_cast<std::byte*>(lines_.data()) + std::size_t{line} * line_bytes;
  }
  [[nodiscard]] FreeNode& node(Line line) const noexcept {
    return *reinterpret_cast<FreeNode*>(at(line));
  }
  [[nodiscard]] std::uint8_t& kind(Line line) const noexcept {
    return static_cast<std::uint8_t*>(map_.data())[line];
  }

  [[nodiscard]] std::optional<Handle> log_from(Line line) const noexcept WEIR_REQUIRES(lock_);
  [[nodiscard]] std::optional<Line> take(Order order, Kind as) noexcept WEIR_REQUIRES(lock_);
  void give(Line line, Order order) noexcept WEIR_REQUIRES(lock_);
  void push_free(Line line, Order order) noexcept WEIR_REQUIRES(lock_);
  void remove_free(Line line, Order order) noexcept WEIR_REQUIRES(lock_);
  [[nodiscard]] bool is_free(Line line, Order order) const noexcept WEIR_REQUIRES(lock_);
  void give_entries(std::span<const LogEntry> memory) noexcept WEIR_REQUIRES(lock_);

  Line line_count_;
  ZeroMemory lines_;
  ZeroMemory map_;
  SpinLock lock_;
  std::array<Line, orders> free_ WEIR_GUARDED_BY(lock_);
  std::uint64_t random_ WEIR_GUARDED_BY(lock_) = 0x9e3779b97f4a7c15u;
  std::atomic<std::size_t> lines_used_{0};
};

}  // namespace weir::store
