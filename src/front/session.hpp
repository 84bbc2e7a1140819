// SPDX-License-Identifier: Apache-2.0
// A protocol without I/O: bytes in, bytes out. One session is one connection; the connection that
// drives it owns the socket, the buffers and the timers. Tests drive it by calling it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <weir/clock.hpp>

#include "rules/address.hpp"

namespace weir::front {

/// What a session wants next.
struct Progress {
  std::size_t eaten = 0;  ///< bytes of the input that are done with

  enum class Next : std::uint8_t {
    read,   ///< more bytes
    again,  ///< another turn with what is left, after other connections had theirs
    wait,   ///< nothing until `on_wake`: an answer is held until `wake_at` or until the store
            ///< answers
    close,  ///< write what is in the output, then close
  } next = Next::read;

  Time wake_at =
      Time::max();  ///< with `wait`: when to call `on_wake`, unless `Waker::wake` comes first
};

/// How a session that waits is woken when its answer comes from elsewhere on the same loop. `wake`
/// does not call the session: `on_wake` follows in a turn of its own. Not to be called after
/// `on_close`.
class Waker {
 public:
  virtual ~Waker() = default;
  virtual void wake() noexcept = 0;
};

class Session {
 public:
  virtual ~Session() = default;

  /// Decides what `input` holds and appends the answers to `output`. `input` begins where the last
  /// call stopped eating; what is not eaten is handed in again, with more behind it.
  /// `now` is the time read for this turn: every decision of the turn is made at it.
  virtual Progress on_bytes(Time now, std::string_view input, std::string& output) = 0;

  /// After `wait`: goes on with what is held. The input that was left comes again afterwards.
  virtual Progress on_wake(Time now, std::string& output) = 0;

  /// The peer has gone, or the connection is ended; what is held gives its place back. Called once,
  /// last.
  virtual void on_close(Time now) noexcept = 0;

  /// Nothing is half read or held: the connection may be ended without loss (shutdown, idle time).
  /// While this is false, a request must come in whole within the request timeout: the time starts
  /// over with each answer that is given.
  [[nodiscard]] virtual bool idle() const noexcept = 0;
};

/// Where a connection came from: told to the session when it is made.
struct Peer {
  std::optional<rules::Address> address;  ///< none for a unix socket
  Waker* waker = nullptr;                 ///< lives as long as the connection
};

/// Makes the sessions of one door on one loop. The loop's own: one thread calls it.
class SessionFactory {
 public:
  virtual ~SessionFactory() = default;
  [[nodiscard]] virtual std::unique_ptr<Session> make(const Peer& peer) = 0;

  /// The most input that a session may leave uneaten: a peer that needs more is ended by the
  /// session.
  [[nodiscard]] virtual std::size_t most_input_bytes() const noexcept = 0;
};

}  // namespace weir::front
