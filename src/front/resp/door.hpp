// SPDX-License-Identifier: Apache-2.0
// The door for Redis clients.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "front/server.hpp"
#include "limiter/engine.hpp"

namespace weir::front::resp {

class RespDoor final : public Door {
 public:
  /// `engine` must outlive the door. An empty `password` asks for none.
  RespDoor(limiter::Engine& engine, std::string password)
      : engine_(engine), password_(std::move(password)) {}

  [[nodiscard]] std::unique_ptr<SessionFactory> on_loop(LoopContext& loop) override;

 private:
  limiter::Engine& engine_;
  const std::string password_;
  std::atomic<std::uint64_t> last_id_{0};  // of clients
};

}  // namespace weir::front::resp
