// SPDX-License-Identifier: Apache-2.0
#include "front/resp/door.hpp"

#include "front/resp/session.hpp"

namespace weir::front::resp {

namespace {

class RespFactory final : public SessionFactory {
 public:
  RespFactory(limiter::Engine& engine, std::string_view password, std::atomic<std::uint64_t>& last_id)
      : loop_(engine, password), last_id_(last_id) {}

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

std::unique_ptr<SessionFactory> RespDoor::on_loop(LoopContext&) {
  return std::make_unique<RespFactory>(engine_, password_, last_id_);
}

}  // namespace weir::front::resp
