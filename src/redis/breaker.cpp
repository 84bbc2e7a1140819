// SPDX-License-Identifier: Apache-2.0
#include "redis/breaker.hpp"

namespace weir::redis {

void Breaker::count(Time now) noexcept {
  if (now >= window_end_) {
    window_end_ = now + window;
    asked_ = failed_ = 0;
  }
  ++asked_;
}

void Breaker::good(Time now) noexcept {
  count(now);
  failed_in_a_row_ = 0;
}

void Breaker::failed(Time now) noexcept {
  count(now);
  ++failed_;
  ++failed_in_a_row_;
  const bool half_failed = asked_ >= least_of_a_window && failed_ * 2 >= asked_;
  if (failed_in_a_row_ >= failures_in_a_row || half_failed) open();
}

void Breaker::open() noexcept {
  *this = {};
  open_ = true;
}

void Breaker::probe_good() noexcept {
  if (++good_probes_ >= good_probes) *this = {};
}

}  // namespace weir::redis
