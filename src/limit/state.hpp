// SPDX-License-Identifier: Apache-2.0
// What a step is asked to do, and the states of fixed size that it reads and writes.
#pragma once

#include <cstdint>

namespace weir {

/// `acquire` takes all or nothing, `peek` asks, `debit` takes whatever stands there, `refund` gives
/// back.
enum class Verb : std::uint8_t { acquire, peek, debit, refund };

/// 8 bytes of state: the instant, in ns since the epoch, at which nothing is owed any more. The
/// state of a fresh key is 0, and a state at or before `now` is the same as a fresh one.
using WordState = std::int64_t;

/// 16 bytes of state, read only by the steps of the limit that wrote them. All zero is fresh.
///
///     bucket, queue     hi:lo  the instant at which nothing is owed any more, in ticks
///     ... of count 0    lo     units used
///     fixed window      lo     units of the window `hi` (counted from the epoch)
///     sliding counter   lo     22 bits: window, low part  | 42 bits: units of that window
///                       hi     22 bits: window, high part | 42 bits: units of the one before it
struct WideState {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  friend constexpr bool operator==(const WideState&, const WideState&) = default;
};

}  // namespace weir
