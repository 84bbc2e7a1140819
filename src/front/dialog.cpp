// SPDX-License-Identifier: Apache-2.0
#include "front/dialog.hpp"

#include <algorithm>

namespace weir::front {

namespace {

/// An output buffer that once held much is given back when it is empty.
constexpr std::size_t most_kept_output = std::size_t{64} << 10;

}  // namespace

void Dialog::arrived(Time now, std::size_t count) {
  input_.commit(count);
  if (mode_ == Progress::Next::read) turn(now);
  if (mode_ == Progress::Next::close) input_.consume(input_.size());
}

void Dialog::turn(Time now) {
  const std::size_t before = output_.size();
  const Progress progress = session_->on_bytes(now, input_.view(), output_);
  input_.consume(progress.eaten);
  settle(now, progress, output_.size() > before);
}

void Dialog::woken(Time now) {
  if (mode_ != Progress::Next::wait) return;
  const std::size_t before = output_.size();
  const Progress progress = session_->on_wake(now, output_);
  settle(now, progress, output_.size() > before);
  // Bytes that came meanwhile have had no turn yet.
  if (mode_ == Progress::Next::read && !input_.empty()) mode_ = Progress::Next::again;
}

void Dialog::settle(Time now, const Progress& progress, bool answered) {
  mode_ = progress.next;
  wake_at_ = progress.wake_at;
  // A session that leaves more than it may would never get the rest.
  if (mode_ == Progress::Next::read && input_.size() >= limits_.most_input) {
    mode_ = Progress::Next::close;
  }
  const bool was_busy = busy_;
  busy_ = !input_.empty() || !session_->idle();
  if (!busy_ || !was_busy || answered || mode_ == Progress::Next::close) since_ = now;
}

void Dialog::wrote(Time now, std::size_t count) {
  written_ += count;
  if (pending() == 0) {
    output_.clear();
    if (output_.capacity() > most_kept_output) output_.shrink_to_fit();
    written_ = must_leave_ = 0;
    if (mode_ == Progress::Next::close) since_ = now;
    return;
  }
  must_leave_ -= std::min(count, must_leave_);
  if (must_leave_ > 0) return;
  must_leave_ = pending();
  blocked_since_ = now;
}

bool Dialog::wants_read() const noexcept {
  const bool open = mode_ == Progress::Next::read || mode_ == Progress::Next::wait || finished();
  return open && !peer_ended_ && pending() <= limits_.most_output &&
         input_.size() < limits_.most_input;
}

bool Dialog::wants_turn() const noexcept {
  return mode_ == Progress::Next::again && pending() <= limits_.most_output;
}

bool Dialog::over() const noexcept {
  if (mode_ == Progress::Next::wait) return peer_ended_;
  if (pending() > 0 || mode_ == Progress::Next::again) return false;
  return peer_ended_ || (draining_ && (!busy_ || mode_ == Progress::Next::close));
}

Time Dialog::deadline() const noexcept {
  const auto after = [](Time start, Duration wait) {
    return wait > Time::max() - start ? Time::max() : start + wait;
  };
  if (must_leave_ > 0) return after(blocked_since_, limits_.request_timeout);
  if (mode_ == Progress::Next::wait || mode_ == Progress::Next::again) return Time::max();
  if (mode_ == Progress::Next::close) return after(since_, limits_.linger);
  return after(since_, busy_ ? limits_.request_timeout : limits_.idle_timeout);
}

}  // namespace weir::front
