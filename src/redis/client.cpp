// SPDX-License-Identifier: Apache-2.0
// The shell of the router: it dials, moves bytes and tells the time, and decides nothing. All that
// happens in one turn of the loop is looked at together at its end, so that commands leave in one
// write.
#include "redis/client.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <random>
#include <vector>

#include "redis/asker.hpp"
#include "redis/router.hpp"
#include "redis/sentinel.hpp"
#include "redis/sentinel_watch.hpp"
#include "redis/stream.hpp"

namespace weir::redis {

namespace asio = boost::asio;

namespace {

/// For one sentinel, or one node of a cluster, to answer a question.
constexpr Duration answer_limit = std::chrono::milliseconds{200};
constexpr Duration tls_answer_limit = 4 * answer_limit;

}  // namespace

struct Client::State : std::enable_shared_from_this<Client::State> {
  /// A node's connection.
  struct Link {
    std::shared_ptr<Stream> stream;
    std::unique_ptr<Asker> asker;  // of where the node stands
  };

  State(asio::io_context& loop, const Options& settings, const Clock& time, ClientStats& counters)
      : io(loop),
        options(settings),
        clock(time),
        router(settings, counters, std::random_device{}()),
        tls_files(settings.tls),
        tls(settings.tls.on ? &tls_files : nullptr),
        timer(loop) {
    if (options.topology != Topology::sentinel) return;
    watch.emplace(io, options, tls, [this](const Address& master) { master_is_at(master); });
  }

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
    if (router.wants_map(now)) ask_for_map(now);
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
    if (options.topology != Topology::sentinel) return connect(index);
    if (!named_master) return ask_for_master(index);
    router.node(index).stands_at(*std::exchange(named_master, std::nullopt));
    connect(index);
  }

  void connect(std::size_t index) {
    links[index].stream =
        Stream::dial(io, router.node(index).address(), tls, options.connect_limit(),
                     [this, index](std::string_view error) {
                       const Time now = clock.now();
                       soon();
                       if (!error.empty()) return router.node(index).dial_failed(now, error);
                       router.node(index).dialed(now);
                       read(index);
                     });
  }

  /// Each time another sentinel first, lest one that is behind is believed for ever.
  void ask_for_master(std::size_t index) {
    auto sentinels = options.addresses;
    const auto first = asked_for_master++ % sentinels.size();
    std::rotate(sentinels.begin(), sentinels.begin() + static_cast<std::ptrdiff_t>(first),
                sentinels.end());
    const auto accept = [this, index](const wire::resp::Reply& answer, const Address&) {
      const auto master = read_master(answer);
      if (master) router.node(index).stands_at(*master);
      return master.has_value();
    };
    links[index].asker = std::make_unique<Asker>(
        io,
        Question{std::move(sentinels),
                 options.sentinel_login,
                 {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", options.master_name},
                 tls,
                 options.tls.on ? tls_answer_limit : answer_limit},
        accept, [this, index](bool is_answered) {
          soon();
          if (is_answered) return connect(index);
          router.node(index).dial_failed(clock.now(), "no sentinel knows the master");
        });
  }

  void master_is_at(const Address& master) {
    soon();
    Node& node = router.node(0);
    if (node.is_connected() && node.address() == master) return;
    named_master = master;
    node.drop("the sentinels have named another master");
  }

  void ask_for_map(Time now) {
    router.asking_for_map(now);
    const auto accept = [this](const wire::resp::Reply& answer, const Address& asked) {
      const auto ranges = read_slot_ranges(answer, asked);
      if (!ranges || ranges->empty()) return false;
      router.map_arrived(*ranges);
      return true;
    };
    map_asker = std::make_unique<Asker>(io,
                                        Question{router.whom_to_ask(),
                                                 options.login,
                                                 {"CLUSTER", "SLOTS"},
                                                 tls,
                                                 options.tls.on ? tls_answer_limit : answer_limit},
                                        accept, [this](bool is_answered) {
                                          soon();
                                          if (!is_answered) router.map_failed();
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
    links[index].asker.reset();
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
    links.clear();
    map_asker.reset();
    watch.reset();
    router.close();
  }

  asio::io_context& io;
  const Options& options;
  const Clock& clock;
  Router router;
  TlsFiles tls_files;
  TlsFiles* tls;  // none: it is not wanted
  asio::steady_timer timer;
  Time armed_for = Time::max();
  std::vector<Link> links;
  std::unique_ptr<Asker> map_asker;     // of a cluster
  std::optional<SentinelWatch> watch;   // of sentinels
  std::optional<Address> named_master;  // by the watch, to be dialed next
  std::size_t asked_for_master = 0;     // times
  bool is_pending = false;              // a look at everything is posted
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

bool Client::is_cluster() const noexcept { return state_->options.topology == Topology::cluster; }

Duration Client::clock_offset(std::uint16_t slot) const noexcept {
  return state_->router.clock_offset(slot);
}

}  // namespace weir::redis
