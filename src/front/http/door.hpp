// SPDX-License-Identifier: Apache-2.0
// The HTTP door: POST /v1/check for programs, /v1/auth for proxies, and the pages for operators.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include <weir/clock.hpp>

#include "front/latency.hpp"
#include "front/metrics.hpp"
#include "front/server.hpp"
#include "limiter/engine.hpp"
#include "rules/config.hpp"

namespace weir::front {

/// `headers:` of the configuration in force. Any thread reads and replaces it.
class LiveHeaderConfig {
 public:
  explicit LiveHeaderConfig(const rules::HeaderConfig& config = {}) noexcept { set(config); }

  void set(const rules::HeaderConfig& config) noexcept {
    reset_as_epoch_.store(config.reset_as_epoch, std::memory_order_relaxed);
    retry_jitter_.store(config.retry_jitter, std::memory_order_relaxed);
  }

  [[nodiscard]] rules::HeaderConfig get() const noexcept {
    return {.reset_as_epoch = reset_as_epoch_.load(std::memory_order_relaxed),
            .retry_jitter = retry_jitter_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<bool> reset_as_epoch_{false};
  std::atomic<Duration> retry_jitter_{Duration{}};
};

/// What each loop may hold.
struct HttpLimits {
  /// Answers of /v1/auth that wait for their place in a leaky queue, and for how long at most. What
  /// cannot wait is told 503 and gives its place back.
  std::size_t most_held = 4096;
  Duration longest_hold = std::chrono::seconds{30};

  std::size_t most_body_memory = std::size_t{64} << 20;  ///< bodies that are half read
  std::size_t most_asks_of_turn =
      512;  ///< pipelined on one connection, before others have their turn
};

/// What the door works with. All of it outlives the door.
struct HttpEnvironment {
  limiter::Engine& engine;
  const StatusSource& status;
  const LiveHeaderConfig& headers;
  LatencyBook& latency;
  HttpLimits limits{};
};

class HttpDoor final : public Door {
 public:
  explicit HttpDoor(const HttpEnvironment& environment) : environment_(environment) {}

  [[nodiscard]] std::unique_ptr<SessionFactory> on_loop(LoopContext& loop) override;

 private:
  HttpEnvironment environment_;
};

/// Makes the sessions of one loop, which reads the time from `clock`.
[[nodiscard]] std::unique_ptr<SessionFactory> make_http_sessions(const HttpEnvironment& environment,
                                                                 const Clock& clock);

}  // namespace weir::front
