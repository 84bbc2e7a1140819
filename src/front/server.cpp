// SPDX-License-Identifier: Apache-2.0
#include "front/server.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "front/acceptor.hpp"
#include "front/listener.hpp"
#include "front/loop.hpp"

namespace weir::front {

namespace {

unsigned loop_count(unsigned wanted) {
  return wanted != 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

struct Server::State {
  /// A listening socket, and on the first loop, while that runs, its acceptor.
  struct Gate {
    Listener listener;
    std::size_t door;
    std::unique_ptr<Acceptor> acceptor;
  };

  ServerOptions options;
  Counters counters;
  std::vector<Door*> doors;
  std::vector<std::unique_ptr<Loop>> loops;
  std::vector<Gate> gates;
  std::vector<LoopPart> parts;
  std::size_t next_loop = 0;  // of the first loop's thread

  void open_gates();
  std::size_t place_of(Door& door);
};

Server::Server(const ServerOptions& options, const Clock& clock)
    : state_(std::make_unique<State>()) {
  state_->options = options;
  for (unsigned i = 0; i < loop_count(options.loops); ++i) {
    state_->loops.push_back(std::make_unique<Loop>(i, options, clock, state_->counters));
  }
}

Server::~Server() = default;

std::size_t Server::State::place_of(Door& door) {
  const auto found = std::find(doors.begin(), doors.end(), &door);
  if (found != doors.end()) return static_cast<std::size_t>(found - doors.begin());
  doors.push_back(&door);
  return doors.size() - 1;
}

Result<std::string> Server::listen(std::string_view address, Door& door) {
  auto listener = Listener::open(address, state_->options.unix_mode);
  if (!listener) return Error{listener.error()};
  std::string bound = listener->bound();
  state_->gates.push_back({std::move(*listener), state_->place_of(door), nullptr});
  return bound;
}

void Server::State::open_gates() {
  for (auto& gate : gates) {
    gate.acceptor =
        std::make_unique<Acceptor>(*loops.front(), gate.listener, options.most_connections,
                                   [this, door = gate.door](Accepted accepted) {
                                     accepted.door = door;
                                     next_loop = (next_loop + 1) % loops.size();
                                     loops[next_loop]->adopt(std::move(accepted));
                                   });
  }
}

void Server::add_to_loops(LoopPart make) { state_->parts.push_back(std::move(make)); }

void Server::run() {
  State& s = *state_;
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < s.loops.size(); ++i) {
    threads.emplace_back([&s, i] { s.loops[i]->run(s.doors, s.parts); });
  }
  s.open_gates();
  s.loops.front()->run(s.doors, s.parts);
}

void Server::stop() noexcept {
  // The first loop deals out connections: once it has ceased to, every loop has been told of all of
  // them.
  state_->loops.front()->post([&s = *state_] {
    s.gates.clear();
    for (auto& loop : s.loops) loop->drain();
  });
}

void Server::post_to_loops(const std::function<void(LoopContext&)>& work) {
  for (auto& loop : state_->loops) {
    loop->post([work, context = loop.get()] { work(*context); });
  }
}

ServerStats Server::stats() const noexcept {
  const Counters& c = state_->counters;
  return {.open = c.open.load(std::memory_order_relaxed),
          .accepted = c.accepted.load(std::memory_order_relaxed),
          .turned_away = c.turned_away.load(std::memory_order_relaxed),
          .cut_idle = c.cut_idle.load(std::memory_order_relaxed),
          .cut_slow = c.cut_slow.load(std::memory_order_relaxed),
          .failed = c.failed.load(std::memory_order_relaxed),
          .accept_pauses = c.accept_pauses.load(std::memory_order_relaxed)};
}

}  // namespace weir::front
