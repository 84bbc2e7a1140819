// SPDX-License-Identifier: Apache-2.0
#include "front/acceptor.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>

namespace weir::front {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Connections taken before others on the loop have their turn.
constexpr int most_at_once = 64;
/// How long accepting rests where the process has no descriptor or memory left.
constexpr auto pause = std::chrono::milliseconds{100};

std::optional<rules::Address> address_of(const sockaddr_storage& peer) {
  char text[INET6_ADDRSTRLEN];
  const void* bytes = nullptr;
  if (peer.ss_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in&>(peer).sin_addr;
  if (peer.ss_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
  if (bytes == nullptr) return std::nullopt;
  if (::inet_ntop(peer.ss_family, bytes, text, sizeof text) == nullptr) return std::nullopt;
  return rules::Address::parse(text);
}

/// Errors of one connection: it was gone before it was taken, or its network was. The next may be
/// well.
bool is_of_peer(int error) noexcept {
  switch (error) {
    case ECONNABORTED:
    case EINTR:
    case EPROTO:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH:
    case EPERM: return true;
    default: return false;
  }
}

}  // namespace

struct Acceptor::Io : std::enable_shared_from_this<Io> {
  Io(Loop& loop, int fd, std::size_t most_in, Deal deal_in)
      : counters(loop.counters()),
        descriptor(loop.io(), fd),
        pause_timer(loop.io()),
        most(most_in),
        deal(std::move(deal_in)) {}

  void await() {
    descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                          [self = shared_from_this()](error_code) { self->take(); });
  }

  void take() {
    if (!descriptor.is_open()) return;
    for (int taken = 0; taken < most_at_once; ++taken) {
      sockaddr_storage peer{};
      socklen_t size = sizeof peer;
      Fd socket(::accept4(descriptor.native_handle(), reinterpret_cast<sockaddr*>(&peer), &size,
                          SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (socket) {
        pass_on(std::move(socket), peer);
      } else if (!is_of_peer(errno)) {
        if (errno != EAGAIN) return rest();
        break;
      }
    }
    await();
  }

  void pass_on(Fd socket, const sockaddr_storage& peer) {
    counters.accepted.fetch_add(1, std::memory_order_relaxed);
    if (counters.open.load(std::memory_order_relaxed) >= most) {
      counters.turned_away.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    counters.open.fetch_add(1, std::memory_order_relaxed);
    deal({.socket = std::move(socket), .address = address_of(peer)});
  }

  void rest() {
    counters.accept_pauses.fetch_add(1, std::memory_order_relaxed);
    pause_timer.expires_after(pause);
    pause_timer.async_wait([self = shared_from_this()](error_code) { self->take(); });
  }

  Counters& counters;
  asio::posix::stream_descriptor descriptor;
  asio::steady_timer pause_timer;
  std::size_t most;
  Deal deal;
};

Acceptor::Acceptor(Loop& loop, const Listener& listener, std::size_t most, Deal deal)
    : io_(std::make_shared<Io>(loop, listener.fd(), most, std::move(deal))) {
  io_->await();
}

Acceptor::~Acceptor() {
  io_->pause_timer.cancel();
  (void)io_->descriptor.release();  // the listener closes it
}

}  // namespace weir::front
