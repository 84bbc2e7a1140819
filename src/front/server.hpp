// SPDX-License-Identifier: Apache-2.0
// The server under every door: listeners, event loops, connections and their bounds. A door only
// says how to make its sessions; bytes, time and sockets are kept here.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <weir/clock.hpp>
#include <weir/result.hpp>

#include "front/session.hpp"

namespace boost::asio {
class io_context;
}

namespace weir::front {

struct ServerOptions {
  unsigned loops = 0;                                ///< threads; 0: one for each core
  std::size_t most_connections = 10'000;             ///< open at once, all doors together
  Duration idle_timeout = std::chrono::seconds{75};  ///< between requests
  Duration request_timeout =
      std::chrono::seconds{10};  ///< for a request to arrive, an answer to leave
  Duration drain_timeout = std::chrono::seconds{5};  ///< for busy connections to finish at the end
  std::size_t most_pending_output = std::size_t{1}
                                    << 20;  ///< beyond it a connection is not read from
  unsigned unix_mode = 0660;                ///< permissions of unix sockets
};

/// What has happened to connections since the start.
struct ServerStats {
  std::uint64_t open = 0;  ///< open now
  std::uint64_t accepted = 0;
  std::uint64_t turned_away = 0;    ///< closed at once: `most_connections` were open
  std::uint64_t cut_idle = 0;       ///< ended after `idle_timeout`
  std::uint64_t cut_slow = 0;       ///< ended after `request_timeout`
  std::uint64_t failed = 0;         ///< ended by an exception in their session
  std::uint64_t accept_pauses = 0;  ///< times that accepting rested: no file descriptor, no memory
};

/// One event loop, as those that live on it see it. Only its own thread uses it, except `post`.
class LoopContext {
 public:
  virtual ~LoopContext() = default;
  [[nodiscard]] virtual unsigned index() const noexcept = 0;  ///< from 0
  [[nodiscard]] virtual const Clock& clock() const noexcept = 0;
  [[nodiscard]] virtual boost::asio::io_context& io() noexcept = 0;

  /// The server is being stopped: what can be finished is finished, nothing new is begun.
  [[nodiscard]] virtual bool draining() const noexcept = 0;

  /// Has `work` run by this loop's thread, later. From any thread. Work that the loop no longer
  /// comes to is destroyed without having run.
  virtual void post(std::function<void()> work) = 0;
};

/// One kind of front end: it makes a factory of sessions for each loop.
class Door {
 public:
  virtual ~Door() = default;

  /// Called once by each loop's thread before its first connection. The factory lives until the
  /// loop has ended, after all its sessions.
  [[nodiscard]] virtual std::unique_ptr<SessionFactory> on_loop(LoopContext& loop) = 0;

  /// Connections through this door that are open now. From any thread.
  [[nodiscard]] std::uint64_t open_connections() const noexcept {
    return open_connections_.load(std::memory_order_relaxed);
  }

 private:
  friend class Loop;
  std::atomic<std::uint64_t> open_connections_{0};
};

class Server {
 public:
  /// `clock` must outlive the server.
  explicit Server(const ServerOptions& options, const Clock& clock = SteadyClock::shared());
  ~Server();

  /// Opens `host:port`, `:port` (all addresses, IPv4 and IPv6) or `unix:PATH`; before `run`.
  /// Returns the address in full, with the port that was taken for port 0. `door` must outlive the
  /// server.
  [[nodiscard]] Result<std::string> listen(std::string_view address, Door& door);

  /// What else lives on each loop: made by its thread before the doors' factories, and ended by it
  /// before them, when no connection is left. Before `run`.
  using LoopPart = std::function<std::shared_ptr<void>(LoopContext&)>;
  void add_to_loops(LoopPart make);

  /// Serves until `stop`; then accepts no more, ends idle connections at once, gives the others
  /// `drain_timeout` to finish, and returns. Called once; the calling thread is one of the loops.
  void run();

  /// From any thread, at any time; more than once is no harm.
  void stop() noexcept;

  /// Has `work` run once on each loop, later; where the server has ended, not at all. From any
  /// thread.
  void post_to_loops(const std::function<void(LoopContext&)>& work);

  /// From any thread.
  [[nodiscard]] ServerStats stats() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir::front
