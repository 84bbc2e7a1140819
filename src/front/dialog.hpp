// SPDX-License-Identifier: Apache-2.0
// What one connection is doing, without its socket: bytes that came, bytes that must leave, and the
// time that each may take. The connection asks it what to do next; tests call it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <weir/clock.hpp>

#include "front/input_buffer.hpp"
#include "front/session.hpp"

namespace weir::front {

struct DialogLimits {
  std::size_t most_input = 0;   ///< what the session may leave uneaten
  std::size_t most_output = 0;  ///< beyond it nothing is read until some has left
  Duration idle_timeout{};
  Duration request_timeout{};
  /// How long, after the last answer, a peer that is still sending is listened to. Closing at once
  /// would reset the connection, and the answer might be lost with it.
  Duration linger = std::chrono::seconds{1};
};

class Dialog {
 public:
  Dialog(std::unique_ptr<Session> session, const DialogLimits& limits, Time now)
      : session_(std::move(session)), limits_(limits), input_(limits.most_input), since_(now) {}

  /// Where to read into. Only while `wants_read`; the room stays where it is until the next call.
  [[nodiscard]] std::span<char> room() { return input_.room(); }

  /// `count` bytes were read into the room: the session has its turn, unless it waits.
  void arrived(Time now, std::size_t count);

  /// The peer sends no more. What it has sent is still answered, but no answer is waited for.
  void ended() noexcept { peer_ended_ = true; }

  /// The time that the session waited for has come, or its waker was used.
  void woken(Time now);

  /// Another turn with what is left. Only while `wants_turn`.
  void turn(Time now);

  [[nodiscard]] std::string_view to_write() const noexcept {
    return std::string_view(output_).substr(written_);
  }
  /// `count` bytes of `to_write` have left; where some are still there, the peer is slow to take
  /// them.
  void wrote(Time now, std::size_t count);

  [[nodiscard]] bool wants_read() const noexcept;
  [[nodiscard]] bool wants_turn() const noexcept;
  [[nodiscard]] bool waits() const noexcept { return mode_ == Progress::Next::wait; }
  [[nodiscard]] Time wake_at() const noexcept { return wake_at_; }  ///< only while `waits`

  /// From here on the connection ends as soon as nothing is half done.
  void drain() noexcept { draining_ = true; }

  /// The last answer has left: the peer is to be told that no more comes. What it still sends is
  /// thrown away until it ends.
  [[nodiscard]] bool finished() const noexcept {
    return mode_ == Progress::Next::close && pending() == 0;
  }

  /// The connection is to be closed.
  [[nodiscard]] bool over() const noexcept;

  /// When the connection is to be cut unless something happens.
  [[nodiscard]] Time deadline() const noexcept;

  /// Whether what `deadline` waits for is just the next request.
  [[nodiscard]] bool idle() const noexcept { return !busy_ && pending() == 0; }

  /// Ends the session. Called once, last.
  void close(Time now) noexcept { session_->on_close(now); }

 private:
  [[nodiscard]] std::size_t pending() const noexcept { return output_.size() - written_; }
  void settle(Time now, const Progress& progress, bool answered);

  std::unique_ptr<Session> session_;
  DialogLimits limits_;
  InputBuffer input_;
  std::string output_;
  std::size_t written_ = 0;     // of the output
  std::size_t must_leave_ = 0;  // so much of the output must leave by the deadline
  Progress::Next mode_ = Progress::Next::read;
  bool busy_ = false;  // a request is half read or an answer is held
  bool peer_ended_ = false;
  bool draining_ = false;
  Time wake_at_ = Time::max();
  Time since_;          // when it became idle or finished, or the half read request began
  Time blocked_since_;  // since when `must_leave_` has been counted
};

}  // namespace weir::front
