// SPDX-License-Identifier: Apache-2.0
// The way to the store for one event loop: a pipelined connection to each node.
#pragma once

#include <cstdint>
#include <memory>

#include <weir/clock.hpp>

#include "redis/exchange.hpp"
#include "redis/options.hpp"

namespace boost::asio {
class io_context;
}

namespace weir::redis {

/// Belongs to one loop; used by its thread alone.
class Client {
 public:
  /// Starts to connect at once. `options`, `clock` and `stats` outlive it.
  Client(boost::asio::io_context& io, const Options& options, const Clock& clock,
         ClientStats& stats);

  /// Exchanges that are not answered end as `unknown` or `unavailable` before this returns.
  ~Client();

  /// Queues the commands; they leave with all others of this turn of the loop, in one write.
  void send(Exchange& exchange) noexcept;

  /// Whether all keys of an exchange must be of one slot.
  [[nodiscard]] bool is_cluster() const noexcept;

  /// What is to be added to this machine's time to get that of the node that owns `slot`.
  [[nodiscard]] Duration clock_offset(std::uint16_t slot) const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace weir::redis
