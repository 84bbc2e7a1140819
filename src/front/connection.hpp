// SPDX-License-Identifier: Apache-2.0
// One accepted socket: moves bytes between it and its dialog, with as few system calls as can be.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>

#include "front/dialog.hpp"
#include "front/fd.hpp"

namespace weir::front {

class Loop;

/// Belongs to its loop, and is used by that thread only.
class Connection final : public Waker, public std::enable_shared_from_this<Connection> {
 public:
  /// Throws where the socket cannot be watched.
  Connection(Loop& loop, Fd socket);
  ~Connection() override;

  /// Reads for the first time. Called once, first.
  void start(std::unique_ptr<Session> session, const DialogLimits& limits);

  /// The session's waker.
  void wake() noexcept override;

  /// The session goes on: the time that it waits for has come.
  void go_on() noexcept;

  /// Ends the connection where its time is over.
  void check(Time now) noexcept;

  /// From here on it ends as soon as nothing is half done.
  void drain() noexcept;

  /// Ends it at once. What was not written is lost.
  void close() noexcept;

  // The loop's own notes.
  std::size_t place = 0;  // among the loop's connections
  std::size_t door = 0;   // among the server's doors
  std::optional<std::multimap<Time, std::shared_ptr<Connection>>::iterator> wake_entry;

 private:
  struct Socket;

  void read_more();
  void on_read(bool arrived, bool ended, std::size_t count);
  void pump(Time now);
  bool write_some(Time now);
  void say_that_it_ended();
  void await_writable();
  void take_turn();
  void set_wake_time();
  template <typename Work>
  void guarded(const Work& work) noexcept;

  Loop& loop_;
  std::unique_ptr<Socket> socket_;
  std::optional<Dialog> dialog_;
  bool reading_ = false;  // a read is under way
  bool writing_ = false;  // waiting until the socket takes more
  bool turning_ = false;  // a turn is posted
  bool woken_ = false;    // going on is posted
  bool ended_ = false;    // the peer was told that no more comes
  bool closed_ = false;
};

}  // namespace weir::front
