// SPDX-License-Identifier: Apache-2.0
// The key table: the store that lives in this process's own memory.
//
// A key that owes nothing is the same as a key that is not there. So a place whose key is idle is
// free, it is overwritten where it stands, and nothing sweeps: there is no timer and no background
// thread. Memory is set at the start and never exceeded. See slots.hpp for what happens when it is
// full of keys that all still owe something, and group.hpp for the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include <weir/keyed_limiter.hpp>

#include "limit/log_ring.hpp"
#include "store/store.hpp"

namespace weir::store {

class Slots;

struct TableOptions {
  static constexpr std::size_t least_memory_bytes = std::size_t{128} << 10;
  static constexpr unsigned log_percent_without_logs = 6;
  static constexpr unsigned log_percent_with_logs = 50;

  /// All memory that the table ever takes. A page that was never needed is never taken. At least
  /// `least_memory_bytes`, at most 256 GiB; else the constructor throws std::invalid_argument.
  std::size_t memory_bytes = std::size_t{256} << 20;

  WhenFull when_full = WhenFull::evict;

  /// The part of the memory that the instants of sliding logs may take; all else is for keys. A
  /// configuration without sliding logs leaves a little for those that come with a request. 1
  /// to 90.
  unsigned log_percent = log_percent_without_logs;
};

/// Counts for metrics. Those of events are since the start.
struct TableStats {
  std::size_t memory_bytes = 0;  ///< the bound
  std::size_t cells = 0;         ///< a bucket takes one, every other key two
  std::size_t live_cells = 0;    ///< of keys that owe something: exact, or estimated from a sample
  std::size_t live_keys = 0;     ///< the same
  std::size_t log_bytes = 0;     ///< for instants of sliding logs
  std::size_t log_bytes_used = 0;
  std::uint64_t live_evictions = 0;    ///< keys forgotten that still owed something
  std::uint64_t expired_reuses = 0;    ///< places taken over from keys that owed nothing
  std::uint64_t relocations = 0;       ///< keys moved to make room
  std::uint64_t shared_newcomers = 0;  ///< asks of new keys counted with an overflow key
  std::uint64_t full_refusals = 0;     ///< asks refused for want of room
};

/// One key's state as it is carried to another table: the key is not told, only its place.
struct SavedKey {
  std::uint64_t tag = 0;          ///< fingerprint and shape
  std::uint64_t spread = 0;       ///< where it stands, in a table of any size
  std::int64_t value = 0;         ///< the word's state, or the rank of a larger one
  WideState wide;                 ///< of a wide state
  std::span<const LogEntry> log;  ///< of a sliding log: instants and the units of each
};

class Table final : public Store {
 public:
  explicit Table(const TableOptions& options = {});
  ~Table() override;

  Applied apply(StoreBatch& batch) noexcept override;
  void carry_over(Time now, std::span<const CarryOver> moves) noexcept override;
  void reset(const Key& key, const CompiledLimit& limit) noexcept override;

  enum class Count : std::uint8_t { sampled, exact };

  /// Exact counting looks at all of the memory.
  [[nodiscard]] TableStats stats(Time now, Count count = Count::sampled) const noexcept;

  /// Shows `see` every key that owes something at `now`, while others go on deciding: each key as
  /// it stood at some moment of the walk. A key may be seen twice; then the later sight counts. The
  /// saved key is `see`'s only during the call. One walk at a time.
  void for_each_live(Time now, const std::function<void(const SavedKey&)>& see);

  /// Puts a saved key back, in place of what stood there for it. False where there was no room.
  bool restore(const SavedKey& key, Time now) noexcept;

 private:
  std::unique_ptr<Slots> slots_;
};

}  // namespace weir::store
