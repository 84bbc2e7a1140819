// SPDX-License-Identifier: Apache-2.0
// A turn costs one read and one write: both are tried at once, and the loop is asked to wait only
// for a read, which it then performs itself when bytes are there.
#include "front/connection.hpp"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "front/loop.hpp"

namespace weir::front {

namespace asio = boost::asio;
using boost::system::error_code;

struct Connection::Socket {
  asio::basic_stream_socket<asio::generic::stream_protocol, asio::io_context::executor_type> stream;
};

Connection::Connection(Loop& loop, Fd socket)
    : loop_(loop), socket_(std::make_unique<Socket>(Socket{decltype(Socket::stream)(loop.io())})) {
  socket_->stream.assign(asio::generic::stream_protocol(AF_UNSPEC, 0), socket.get());
  (void)socket.release();
  socket_->stream.non_blocking(true);
}

Connection::~Connection() = default;

template <typename Work>
void Connection::guarded(const Work& work) noexcept {
  if (closed_) return;
  try {
    work();
  } catch (...) {
    loop_.counters().failed.fetch_add(1, std::memory_order_relaxed);
    close();
  }
}

void Connection::start(std::unique_ptr<Session> session, const DialogLimits& limits) {
  dialog_.emplace(std::move(session), limits, loop_.clock().now());
  guarded([this] { read_more(); });
}

void Connection::read_more() {
  const auto room = dialog_->room();
  reading_ = true;
  socket_->stream.async_read_some(
      asio::buffer(room.data(), room.size()),
      [self = shared_from_this()](error_code error, std::size_t count) {
        self->reading_ = false;
        self->guarded([&] { self->on_read(!error, error == asio::error::eof, count); });
      });
}

void Connection::on_read(bool arrived, bool ended, std::size_t count) {
  const Time now = loop_.clock().now();
  if (arrived) {
    dialog_->arrived(now, count);
  } else if (ended) {
    dialog_->ended();
  } else {
    return close();
  }
  pump(now);
}

void Connection::pump(Time now) {
  if (!writing_ && !write_some(now)) return close();
  if (dialog_->over()) return close();
  if (dialog_->finished()) say_that_it_ended();
  set_wake_time();
  if (dialog_->wants_turn() && !turning_) take_turn();
  if (dialog_->wants_read() && !reading_) read_more();
}

bool Connection::write_some(Time now) {
  const auto bytes = dialog_->to_write();
  if (bytes.empty()) return true;
  error_code error;
  const auto count = socket_->stream.write_some(asio::buffer(bytes.data(), bytes.size()), error);
  if (error && error != asio::error::would_block) return false;
  dialog_->wrote(now, count);
  if (count < bytes.size()) await_writable();
  return true;
}

void Connection::say_that_it_ended() {
  if (ended_) return;
  ended_ = true;
  error_code ignored;  // a peer that is gone already is found out by the next read
  socket_->stream.shutdown(asio::socket_base::shutdown_send, ignored);
}

void Connection::await_writable() {
  writing_ = true;
  socket_->stream.async_wait(asio::socket_base::wait_write,
                             [self = shared_from_this()](error_code) {
                               self->writing_ = false;
                               self->guarded([&] { self->pump(self->loop_.clock().now()); });
                             });
}

void Connection::take_turn() {
  turning_ = true;
  asio::post(loop_.io(), [self = shared_from_this()] {
    self->turning_ = false;
    self->guarded([&] {
      const Time now = self->loop_.clock().now();
      self->dialog_->turn(now);
      self->pump(now);
    });
  });
}

void Connection::wake() noexcept {
  if (woken_ || closed_) return;
  woken_ = true;
  asio::post(loop_.io(), [self = shared_from_this()] {
    self->woken_ = false;
    self->go_on();
  });
}

void Connection::go_on() noexcept {
  guarded([this] {
    const Time now = loop_.clock().now();
    dialog_->woken(now);
    pump(now);
  });
}

void Connection::set_wake_time() {
  const Time when = dialog_->waits() ? dialog_->wake_at() : Time::max();
  if (wake_entry && (*wake_entry)->first == when) return;
  if (wake_entry) loop_.forget_wake(*this);
  if (when != Time::max()) loop_.wake_later(shared_from_this(), when);
}

void Connection::check(Time now) noexcept {
  if (closed_ || dialog_->deadline() > now) return;
  if (!dialog_->finished()) {
    auto& counter = dialog_->idle() ? loop_.counters().cut_idle : loop_.counters().cut_slow;
    counter.fetch_add(1, std::memory_order_relaxed);
  }
  close();
}

void Connection::drain() noexcept {
  if (closed_) return;
  dialog_->drain();
  if (dialog_->over()) close();
}

void Connection::close() noexcept {
  if (closed_) return;
  closed_ = true;
  const auto self = shared_from_this();  // the loop's reference may be the last
  if (wake_entry) loop_.forget_wake(*this);
  dialog_->close(loop_.clock().now());
  dialog_.reset();
  error_code ignored;
  socket_->stream.close(ignored);
  loop_.remove(*this);
}

}  // namespace weir::front
