// SPDX-License-Identifier: Apache-2.0
#include "redis/sentinel_watch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <random>

#include "redis/backoff.hpp"
#include "redis/inquiry.hpp"
#include "redis/sentinel.hpp"
#include "redis/stream.hpp"

namespace weir::redis {

namespace asio = boost::asio;
using boost::system::error_code;

struct SentinelWatch::State : std::enable_shared_from_this<SentinelWatch::State> {
  static constexpr Duration heartbeat = std::chrono::seconds{1};

  State(asio::io_context& loop, const Options& settings, TlsFiles* files, Told callback)
      : io(loop),
        options(settings),
        tls(files),
        told(std::move(callback)),
        timer(loop),
        backoff(settings.longest_backoff, std::random_device{}()) {}

  void dial() {
    stream =
        Stream::dial(io, options.addresses[at], tls, options.connect_limit(),
                     [this](std::string_view error) { error.empty() ? subscribe() : retry(); });
  }

  void subscribe() {
    inquiry.emplace(
        options.sentinel_login,
        std::vector<Inquiry::Command>{{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", options.master_name},
                                      {"SUBSCRIBE", "+switch-master"}});
    write(inquiry->output());
    read();
    is_heard = true;
    beat();
  }

  void write(std::string_view bytes) {
    stream->write(bytes, [this](std::string_view error) {
      if (!error.empty()) retry();
    });
  }

  void read() {
    stream->read(inquiry->room(), [this](std::string_view error, std::size_t count) {
      if (!error.empty()) return retry();
      inquiry->arrived(count);
      is_heard = true;
      backoff.reset();
      for (auto progress = inquiry->next(); progress != Inquiry::Progress::need_more;
           progress = inquiry->next()) {
        if (progress == Inquiry::Progress::failed) return retry();
        auto master = read_master(inquiry->reply());
        if (!master) master = read_switch(inquiry->reply(), options.master_name);
        if (master) told(*master);
      }
      read();
    });
  }

  /// A sentinel that is gone without a word would be waited for without an end.
  void beat() {
    wait(heartbeat, [this] {
      if (!std::exchange(is_heard, false)) return retry();
      write(ping);
      beat();
    });
  }

  void retry() {
    stream->close();
    at = (at + 1) % options.addresses.size();
    wait(backoff.next(), [this] { dial(); });
  }

  template <typename Then>
  void wait(Duration wait, Then then) {
    timer.expires_after(wait);
    timer.async_wait([self = shared_from_this(), then](error_code error) {
      if (!error && !self->closed) then();
    });
  }

  static constexpr std::string_view ping = "*1\r\n$4\r\nPING\r\n";

  asio::io_context& io;
  const Options& options;
  TlsFiles* tls;
  Told told;
  asio::steady_timer timer;
  Backoff backoff;
  std::shared_ptr<Stream> stream;
  std::optional<Inquiry> inquiry;
  std::size_t at = 0;     // of the sentinels
  bool is_heard = false;  // since the last heartbeat
  bool closed = false;
};

SentinelWatch::SentinelWatch(asio::io_context& io, const Options& options, TlsFiles* tls, Told told)
    : state_(std::make_shared<State>(io, options, tls, std::move(told))) {
  state_->wait({}, [state = state_.get()] { state->dial(); });
}

SentinelWatch::~SentinelWatch() {
  state_->closed = true;
  state_->timer.cancel();
  if (state_->stream) state_->stream->close();
}

}  // namespace weir::redis
