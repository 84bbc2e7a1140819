// SPDX-License-Identifier: Apache-2.0
#include "front/resp/door.hpp"

#include "front/resp/session.hpp"

namespace weir::front::resp {

namespace {

class RespFactory final : public SessionFactory {
 public:
  struct Parts {
    limiter::Engine& engine;
    std::string_view password;
    const Clock& clock;
    LatencyHistogram& latency;
    std::atomic<std::uint64_t>& last_id;
  };

  explicit RespFactory(const Parts& parts)
      : loop_(parts.engine, parts.password, parts.clock, parts.latency), last_id_(parts.last_id) {}

  [[nodiscard]] std::unique_ptr<Session> make(const Peer& peer) override {
    const auto id = last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
    return std::make_unique<RespSession>(loop_, id, peer.waker);
  }
  [[nodiscard]] std::size_t most_input_bytes() const noexcept override {
    return wire::resp::most_request_bytes;
  }

 private:
  RespLoop loop_;
  std::atomic<std::uint64_t>& last_id_;
};

}  // namespace

std::unique_ptr<SessionFactory> RespDoor::on_loop(LoopContext& loop) {
  return std::make_unique<RespFactory>(
      RespFactory::Parts{engine_, password_, loop.clock(), latency_.open(), last_id_});
}

}  // namespace weir::front::resp
