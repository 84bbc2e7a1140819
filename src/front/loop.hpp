// SPDX-License-Identifier: Apache-2.0
// One event loop: a thread's connections, their timeouts and what is posted to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "front/connection.hpp"
#include "front/fd.hpp"
#include "front/server.hpp"

namespace weir::front {

/// Counted by all loops.
struct Counters {
  std::atomic<std::uint64_t> open{0};
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> turned_away{0};
  std::atomic<std::uint64_t> cut_idle{0};
  std::atomic<std::uint64_t> cut_slow{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> accept_pauses{0};
};

/// A connection on its way to its loop. It is counted as open already.
struct Accepted {
  Fd socket;
  std::size_t door = 0;                   ///< its place among the server's doors
  std::optional<rules::Address> address;  ///< none: a unix socket
};

class Loop final : public LoopContext {
 public:
  Loop(unsigned index, const ServerOptions& options, const Clock& clock, Counters& counters);
  ~Loop() override;

  /// Makes its parts and the doors' factories and serves until `drain` has come to its end.
  void run(const std::vector<Door*>& doors, const std::vector<Server::LoopPart>& parts);

  /// From any thread.
  void adopt(Accepted accepted);

  /// Ends what is idle, gives what is busy its time, then ends all. From any thread.
  void drain();

  [[nodiscard]] unsigned index() const noexcept override { return index_; }
  [[nodiscard]] const Clock& clock() const noexcept override { return clock_; }
  [[nodiscard]] boost::asio::io_context& io() noexcept override;
  [[nodiscard]] bool draining() const noexcept override { return draining_; }
  void post(std::function<void()> work) override;

  // For its connections.
  [[nodiscard]] Counters& counters() noexcept { return counters_; }
  void wake_later(const std::shared_ptr<Connection>& connection, Time when);
  void forget_wake(Connection& connection) noexcept;
  void remove(Connection& connection) noexcept;

 private:
  struct Io;

  void open(Accepted accepted);
  void arm_tick();
  void tick();
  void arm_wake();
  void go_on_with_due();
  void stop_if_drained() noexcept;

  unsigned index_;
  ServerOptions options_;
  const Clock& clock_;
  Counters& counters_;
  Duration tick_;
  bool draining_ = false;
  Time drain_until_;
  std::vector<Door*> doors_;
  std::vector<std::unique_ptr<SessionFactory>> factories_;  // of the doors, in their order
  std::vector<std::shared_ptr<Connection>> connections_;
  std::multimap<Time, std::shared_ptr<Connection>> wakes_;
  Time armed_for_ = Time::max();  // what the wake timer is set to
  std::unique_ptr<Io> io_;
};

}  // namespace weir::front
