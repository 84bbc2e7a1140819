// SPDX-License-Identifier: Apache-2.0
// A limit made ready for deciding: its arithmetic worked out once, when it is loaded.
#pragma once

#include <cstdint>

#include <weir/limit.hpp>

namespace weir {

/// How a limit's state is kept.
///
///     word   8 bytes   buckets and queues whose unit takes a whole number of nanoseconds: the
///                      instant at which nothing is owed any more, in ns since the epoch
///     wide  16 bytes   the other buckets and queues, fixed windows, sliding counters
///     log   a ring     the sliding log: one entry an instant, out of line
enum class Shape : std::uint8_t { word, wide, log };

/// A limit and what its steps need. The unit time T = period / count is the reduced fraction
/// `unit_ticks / ticks_per_ns` of nanoseconds: a tick is the grain in which nothing is ever lost.
struct CompiledLimit {
  Limit limit;
  Shape shape;
  std::uint64_t ticks_per_ns;  ///< count / gcd(period, count), at least 1
  std::uint64_t unit_ticks;    ///< period in ns / gcd(period, count); 0 where count is 0
  std::int64_t capacity_ns;    ///< capacity * T where `shape` is word, else 0

  explicit CompiledLimit(const Limit& limit_in);
};

}  // namespace weir
