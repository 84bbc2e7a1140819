// SPDX-License-Identifier: Apache-2.0
// The shell of the router: it dials, moves bytes and tells the time, and decides nothing. All that
// happens in one turn of the loop is looked at together at its end, so that commands leave in one
// write.
#include "redis/client.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <random>
#include <vector>

#include "redis/router.hpp"
#include "redis/stream.hpp"

namespace weir::redis {

namespace asio = boost::asio;

struct Client::State : std::enable_shared_from_this<Client::State> {
  /// A node's connection.
  struct Link {
    std::shared_ptr<Stream> stream;
  };

  State(asio::io_context& loop, const Options& settings, const Clock& time, ClientStats& counters)
      : io(loop),
        options(settings),
        clock(time),
        router(settings, counters, std::random_device{}()),
        tls(settings.tls),
        timer(loop) {}

  /// Looks at everything at the end of this turn.
  void soon() {
    if (is_pending || closed) return;
    is_pending = true;
    asio::post(io, [self = shared_from_this()] {
      self->is_pending = false;
      if (!self->closed) self->pump();
    });
  }

  void pump() {
    const Time now = clock.now();
    router.tick(now);
    links.resize(router.size());
    for (std::size_t i = 0; i < links.size(); ++i) serve(i, now);
    arm(now);
  }

  void serve(std::size_t index, Time now) {
    Node& node = router.node(index);
    if (node.wants_close()) lost(index, "");
    if (node.wants_dial(now)) dial(index);
    const auto bytes = node.take_output(now);
    if (bytes.empty()) return;
    links[index].stream->write(bytes, [this, index](std::string_view error) {
      error.empty() ? router.node(index).wrote() : lost(index, error);
      soon();
    });
  }

  void dial(std::size_t index) {
    router.node(index).dialing();
    const Duration limit = options.connect_timeout;
    links[index].stream =
        Stream::dial(io, router.node(index).address(), options.tls.on ? &tls : nullptr,
                     options.tls.on ? 4 * limit : limit, [this, index](std::string_view error) {
                       const Time now = clock.now();
                       soon();
                       if (!error.empty()) return router.node(index).dial_failed(now, error);
                       router.node(index).dialed(now);
                       read(index);
                     });
  }

  void read(std::size_t index) {
    links[index].stream->read(
        router.node(index).room(),
        [this, index](std::string_view error, std::size_t count) { on_read(index, error, count); });
  }

  void on_read(std::size_t index, std::string_view error, std::size_t count) {
    soon();
    if (!error.empty()) return lost(index, error);
    Node& node = router.node(index);
    node.arrived(count, clock.now());
    if (!node.wants_close()) read(index);
  }

  void lost(std::size_t index, std::string_view why) {
    if (links[index].stream) links[index].stream->close();
    links[index].stream.reset();
    router.node(index).lost(clock.now(), why);
  }

  void arm(Time now) {
    constexpr Duration finest = std::chrono::milliseconds{1};
    const Time next = router.next_time();
    if (next >= armed_for) return;
    armed_for = std::max(next, now + finest);
    timer.expires_after(armed_for - now);
    timer.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (error || self->closed) return;
      self->armed_for = Time::max();
      self->pump();
    });
  }

  void close() {
    closed = true;
    timer.cancel();
    for (auto& link : links) {
      if (link.stream) link.stream->close();
    }
    router.close();
  }

  asio::io_context& io;
  const Options& options;
  const Clock& clock;
  Router router;
  TlsFiles tls;
  asio::steady_timer timer;
  Time armed_for = Time::max();
  std::vector<Link> links;
  bool is_pending = false;  // a look at everything is posted
  bool closed = false;
};

Client::Client(asio::io_context& io, const Options& options, const Clock& clock, ClientStats& stats)
    : state_(std::make_shared<State>(io, options, clock, stats)) {
  state_->soon();
}

Client::~Client() { state_->close(); }

void Client::send(Exchange& exchange) noexcept {
  state_->router.send(exchange);
  state_->soon();
}

Duration Client::clock_offset(std::uint16_t slot) const noexcept {
  return state_->router.clock_offset(slot);
}

}  // namespace weir::redis
