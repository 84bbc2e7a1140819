// SPDX-License-Identifier: Apache-2.0
// The door for Redis clients.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "front/latency.hpp"
#include "front/server.hpp"
#include "limiter/engine.hpp"

namespace weir::front::resp {

class RespDoor final : public Door {
 public:
  /// `engine` and `latency` must outlive the door. An empty `password` asks for none.
  RespDoor(limiter::Engine& engine, LatencyBook& latency, std::string password)
      : engine_(engine), latency_(latency), password_(std::move(password)) {}

  [[nodiscard]] std::unique_ptr<SessionFactory> on_loop(LoopContext& loop) override;

 private:
  limiter::Engine& engine_;
  LatencyBook& latency_;
  const std::string password_;
  std::atomic<std::uint64_t> last_id_{0};  // of clients
};

}  // namespace weir::front::resp
