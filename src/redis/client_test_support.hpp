// SPDX-License-Identifier: Apache-2.0
// For tests: a loop that runs until something holds.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>

#include <weir/clock.hpp>

namespace weir::redis {

/// Runs the loop until it holds. False: it didn't within a time that is long on any machine.
inline bool run_until(boost::asio::io_context& io, const std::function<bool()>& holds) {
  const Clock& clock = SteadyClock::shared();
  for (const Time end = clock.now() + std::chrono::seconds{20}; clock.now() < end;) {
    if (holds()) return true;
    io.restart();
    io.run_one_for(std::chrono::milliseconds{1});
  }
  return false;
}

}  // namespace weir::redis
