// SPDX-License-Identifier: Apache-2.0
// How far a store's clock is ahead of this machine's, from samples that each took a round trip.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include <weir/clock.hpp>

#include "wire/resp_reply.hpp"

namespace weir::redis {

/// The store read its clock at some time between `sent` and `received`: taken for the middle, the
/// offset is wrong by half a round trip at most. So the sample of the shortest one is believed.
class ClockOffset {
 public:
  struct Sample {
    Time sent;
    Time received;
    Time store;  ///< as it answered
  };

  void add(const Sample& sample) noexcept;

  /// What is to be added to this machine's time. Nothing before the first sample.
  [[nodiscard]] Duration value() const noexcept { return best_.offset; }

  void reset() noexcept { *this = {}; }

 private:
  struct Known {
    Duration offset;
    Duration round_trip;
  };
  static constexpr std::size_t kept = 8;  // clocks drift: an old sample is forgotten

  std::array<Known, kept> known_{};
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  Known best_{};
};

/// The answer to TIME, `[seconds, microseconds]`. Nothing where it is something else.
[[nodiscard]] std::optional<Time> read_time(const wire::resp::Reply& reply) noexcept;

}  // namespace weir::redis
