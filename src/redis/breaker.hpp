// SPDX-License-Identifier: Apache-2.0
// When a node is asked no more, and from when it is asked again.
#pragma once

#include <cstdint>

#include <weir/clock.hpp>

namespace weir::redis {

/// Closed: the node is asked. Open: it is asked nothing but probes, which carry no decision, until
/// `good_probes` of them in a row were answered in time.
class Breaker {
 public:
  static constexpr unsigned failures_in_a_row = 5;
  static constexpr unsigned least_of_a_window = 20;  // half of them failed: open
  static constexpr Duration window = std::chrono::seconds{1};
  static constexpr unsigned good_probes = 3;

  [[nodiscard]] bool is_open() const noexcept { return open_; }

  /// An answer came in time.
  void good(Time now) noexcept;
  /// None did.
  void failed(Time now) noexcept;

  /// The node is out of reach.
  void open() noexcept;

  /// What a probe came to; only while it is open.
  void probe_good() noexcept;
  void probe_failed() noexcept { good_probes_ = 0; }

 private:
  void count(Time now) noexcept;

  bool open_ = false;
  unsigned failed_in_a_row_ = 0;
  unsigned asked_ = 0;   // in this window
  unsigned failed_ = 0;  // of them
  unsigned good_probes_ = 0;
  Time window_end_;
};

}  // namespace weir::redis
