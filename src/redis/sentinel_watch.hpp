// SPDX-License-Identifier: Apache-2.0
// Hears from the sentinels when there is another master: the old one may seem well for a while.
#pragma once

#include <functional>
#include <memory>

#include "redis/options.hpp"

namespace boost::asio {
class io_context;
}

namespace weir::redis {

class TlsFiles;

/// Stays connected to one sentinel, or goes on to the next.
class SentinelWatch {
 public:
  /// Tells of the master when it has connected, and of each switch.
  using Told = std::function<void(const Address& master)>;

  SentinelWatch(boost::asio::io_context& io, const Options& options, TlsFiles* tls, Told told);
  ~SentinelWatch();
  SentinelWatch(const SentinelWatch&) = delete;
  SentinelWatch& operator=(const SentinelWatch&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace weir::redis
