// SPDX-License-Identifier: Apache-2.0
// Timeouts are kept by one coarse timer that looks at every connection: a turn only notes the time.
// The waits of sessions are kept in order, with one timer for the first of them.
#include "front/loop.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>

namespace weir::front {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

struct Loop::Io {
  // Only the loop's thread touches its sockets and timers; others post. So their locks can go.
  asio::io_context context{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  asio::steady_timer tick_timer{context};
  asio::steady_timer wake_timer{context};
};

namespace {

Duration tick_for(const ServerOptions& options) {
  const Duration shortest = std::min(options.idle_timeout, options.request_timeout);
  return std::clamp<Duration>(shortest / 8, milliseconds{10}, milliseconds{1000});
}

void send_at_once(const Fd& socket) noexcept {
  const int on = 1;  // fails on a unix socket, which never holds bytes back
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Loop::Loop(unsigned index, const ServerOptions& options, const Clock& clock, Counters& counters)
    : index_(index),
      options_(options),
      clock_(clock),
      counters_(counters),
      tick_(tick_for(options)),
      io_(std::make_unique<Io>()) {}

Loop::~Loop() = default;

asio::io_context& Loop::io() noexcept { return io_->context; }

void Loop::run(const std::vector<Door*>& doors, const std::vector<Server::LoopPart>& parts) {
  doors_ = doors;
  std::vector<std::shared_ptr<void>> made;
  for (const auto& make : parts) made.push_back(make(*this));
  for (Door* door : doors_) factories_.push_back(door->on_loop(*this));
  arm_tick();
  while (!io_->context.stopped()) {
    try {
      io_->context.run();
    } catch (...) {  // of posted work; connections keep their own
      counters_.failed.fetch_add(1, std::memory_order_relaxed);
    }
  }
  made.clear();  // first: what they still owe the doors' sessions is said now
  factories_.clear();
}

void Loop::post(std::function<void()> work) { asio::post(io_->context, std::move(work)); }

void Loop::adopt(Accepted accepted) {
  asio::post(io_->context,
             [this, moved = std::move(accepted)]() mutable { open(std::move(moved)); });
}

void Loop::open(Accepted accepted) {
  std::shared_ptr<Connection> connection;
  if (!draining_) {
    try {
      if (accepted.address) send_at_once(accepted.socket);
      connection = std::make_shared<Connection>(*this, std::move(accepted.socket));
      auto& factory = *factories_[accepted.door];
      auto session = factory.make({.address = accepted.address, .waker = connection.get()});
      connection->place = connections_.size();
      connection->door = accepted.door;
      connections_.push_back(connection);
      doors_[accepted.door]->open_connections_.fetch_add(1, std::memory_order_relaxed);
      connection->start(std::move(session), {.most_input = factory.most_input_bytes(),
                                             .most_output = options_.most_pending_output,
                                             .idle_timeout = options_.idle_timeout,
                                             .request_timeout = options_.request_timeout});
      return;
    } catch (...) {
      counters_.failed.fetch_add(1, std::memory_order_relaxed);
    }
  }
  counters_.open.fetch_sub(1, std::memory_order_relaxed);
}

void Loop::remove(Connection& connection) noexcept {
  auto& last = connections_.back();
  last->place = connection.place;
  std::swap(connections_[connection.place], last);
  connections_.pop_back();
  counters_.open.fetch_sub(1, std::memory_order_relaxed);
  doors_[connection.door]->open_connections_.fetch_sub(1, std::memory_order_relaxed);
  stop_if_drained();
}

void Loop::arm_tick() {
  io_->tick_timer.expires_after(tick_);
  io_->tick_timer.async_wait([this](error_code error) {
    if (error) return;
    tick();
    arm_tick();
  });
}

void Loop::tick() {
  const Time now = clock_.now();
  const bool out_of_time = draining_ && now >= drain_until_;
  // From the back: a connection that ends is replaced by the last one, which has been looked at.
  for (std::size_t i = connections_.size(); i-- > 0;) {
    if (i >= connections_.size()) continue;
    const auto connection = connections_[i];
    if (out_of_time) {
      connection->close();
    } else {
      connection->check(now);
    }
  }
  go_on_with_due();
}

void Loop::wake_later(const std::shared_ptr<Connection>& connection, Time when) {
  connection->wake_entry = wakes_.emplace(when, connection);
  if (when < armed_for_) arm_wake();
}

void Loop::forget_wake(Connection& connection) noexcept {
  wakes_.erase(*connection.wake_entry);
  connection.wake_entry.reset();
}

void Loop::arm_wake() {
  armed_for_ = wakes_.empty() ? Time::max() : wakes_.begin()->first;
  if (wakes_.empty()) return;
  io_->wake_timer.expires_after(armed_for_ - clock_.now());
  io_->wake_timer.async_wait([this](error_code error) {
    if (!error) go_on_with_due();
  });
}

void Loop::go_on_with_due() {
  const Time now = clock_.now();
  while (!wakes_.empty() && wakes_.begin()->first <= now) {
    const auto connection = wakes_.begin()->second;
    forget_wake(*connection);
    connection->go_on();
  }
  arm_wake();
}

void Loop::drain() {
  asio::post(io_->context, [this] {
    draining_ = true;
    drain_until_ = clock_.now() + options_.drain_timeout;
    for (const auto& connection : std::vector(connections_)) connection->drain();
    stop_if_drained();
  });
}

void Loop::stop_if_drained() noexcept {
  if (draining_ && connections_.empty()) io_->context.stop();
}

}  // namespace weir::front
