// SPDX-License-Identifier: Apache-2.0
// A group: one cache line of the table, with its lock.
//
//     cell     0                1                2                3
//          [ tag | value ]  [ tag | value ]  [ tag | value ]  [ tag | value ]     8 + 8 bytes each
//
//     word entry   [ tag | state ]                          one cell; the state is the value
//     wide entry   [ tag | rank ] [ state lo | state hi ]   two cells, 0 and 1 or 2 and 3
//     log entry    [ tag | rank ] [ handle   | 0        ]   the same; instants: in the slab
//
// A value is the instant from which on the entry is the same as none: where it is not after `now`,
// the entry is free to be overwritten. Of entries that all still owe something, it tells too which
// owes least (rank.hpp).
//
// The lock is a flag in the first tag. All writing is done under it. A word entry's tag and value
// may be read without it: tag, value, then the tag once more. A writer takes the tag away before it
// changes whose value it is, so a value between two equal tags is that key's.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstdint>
#include <optional>

#include "base/spin_lock.hpp"
#include "limit/step.hpp"
#include "store/geometry.hpp"

namespace weir::store {

class alignas(64) Group {
 public:
  static constexpr unsigned cells = 4;

  [[nodiscard]] bool try_lock() noexcept {
    return (cells_[0].tag.fetch_or(lock_flag, std::memory_order_acquire) & lock_flag) == 0;
  }
  void lock() noexcept {
    SpinWait wait;
    while (!try_lock()) {
      while ((cells_[0].tag.load(std::memory_order_relaxed) & lock_flag) != 0) wait.once();
    }
  }
  void unlock() noexcept { cells_[0].tag.store(tag(0), std::memory_order_release); }

  [[nodiscard]] Tag tag(unsigned cell) const noexcept {
    return unlocked(cell, cells_[cell].tag.load(std::memory_order_relaxed));
  }
  [[nodiscard]] std::int64_t value(unsigned cell) const noexcept {
    return cells_[cell].value.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool holds(unsigned cell, Tag wanted) const noexcept { return tag(cell) == wanted; }

  static constexpr unsigned nowhere = cells;

  /// The cell where the entry `wanted` stands, of a pair the first; `nowhere` where it does not.
  /// Chosen without a branch: which cell it is cannot be predicted.
  [[nodiscard]] unsigned find(Tag wanted) const noexcept {
    const auto bit = [&](unsigned cell) { return unsigned{holds(cell, wanted)} << cell; };
    const unsigned even = bit(0) | bit(2) | 1u << nowhere;
    const unsigned odd = bit(1) | bit(3);  // of a pair a state, which may look like a tag
    return static_cast<unsigned>(std::countr_zero(width(wanted) == 1 ? even | odd : even));
  }

  /// The value of a word entry, read without the lock; nothing where `wanted` no longer stands
  /// there.
  [[nodiscard]] std::optional<WordState> peek_word(unsigned cell, Tag wanted) const noexcept {
    const Tag before = unlocked(cell, cells_[cell].tag.load(std::memory_order_acquire));
    const auto state = cells_[cell].value.load(std::memory_order_acquire);
    if (before != wanted || !holds(cell, wanted)) return std::nullopt;
    return state;
  }

  [[nodiscard]] static constexpr unsigned width(Tag tag) noexcept {
    return (tag & pair_flag) != 0 ? 2 : 1;
  }

  // What follows is called under the lock.

  /// The cell is the second one of a pair.
  [[nodiscard]] bool is_tail(unsigned cell) const noexcept {
    return (cell & 1u) != 0 && width(tag(cell - 1)) == 2;
  }

  [[nodiscard]] WideState wide(unsigned cell) const noexcept {
    return {.lo = cells_[cell + 1].tag.load(std::memory_order_relaxed),
            .hi = static_cast<std::uint64_t>(value(cell + 1))};
  }

  void set_value(unsigned cell, std::int64_t value) noexcept {
    cells_[cell].value.store(value, std::memory_order_relaxed);
  }
  void set_wide(unsigned cell, const WideState& state) noexcept {
    cells_[cell + 1].tag.store(state.lo, std::memory_order_relaxed);
    cells_[cell + 1].value.store(static_cast<std::int64_t>(state.hi), std::memory_order_release);
  }

  void put_word(unsigned cell, Tag tag, WordState state) noexcept {
    set_tag(cell, 0);
    cells_[cell].value.store(state, std::memory_order_release);
    set_tag(cell, tag);
  }
  void put_pair(unsigned cell, Tag tag, std::int64_t rank, const WideState& state) noexcept {
    assert((cell & 1u) == 0 && width(tag) == 2);
    set_tag(cell, 0);
    set_wide(cell, state);
    cells_[cell].value.store(rank, std::memory_order_release);
    set_tag(cell, tag);
  }
  void erase(unsigned cell) noexcept {
    if (width(tag(cell)) == 2) set_tag(cell + 1, 0);
    set_tag(cell, 0);
  }

 private:
  struct Cell {
    std::atomic<Tag> tag;
    std::atomic<std::int64_t> value;
  };

  /// A tag without the lock. Only the first cell's ever has it: for the others it is no work.
  [[nodiscard]] static constexpr Tag unlocked(unsigned cell, Tag tag) noexcept {
    return cell == 0 ? tag & ~lock_flag : tag;
  }

  void set_tag(unsigned cell, Tag tag) noexcept {
    cells_[cell].tag.store(cell == 0 ? tag | lock_flag : tag, std::memory_order_release);
  }

  std::array<Cell, cells> cells_;
};

static_assert(sizeof(Group) == 64);

}  // namespace weir::store
