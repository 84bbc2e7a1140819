// SPDX-License-Identifier: Apache-2.0
// One node of the store as its pipelined connection has it, without I/O: a shell dials, moves bytes
// and tells the time.
//
//     waiting -> dialing -> shaking hands -> asking the time -> ready -> (lost) waiting -> ...
//
// Redis answers in the order of the commands, and its replies carry no names: what was written and
// not answered stands in a queue, and whose asker went away stays there, so that a late reply is
// never taken for another's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "redis/backoff.hpp"
#include "redis/breaker.hpp"
#include "redis/clock_offset.hpp"
#include "redis/exchange_table.hpp"
#include "redis/fifo.hpp"
#include "redis/handshake.hpp"
#include "redis/input.hpp"
#include "redis/redirection.hpp"

namespace weir::redis {

/// Commands of an exchange, to be written one behind the other.
struct Errand {
  Ticket ticket;
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  bool asking = false;    ///< each behind an ASKING: the node does not own the slot yet
  bool reloaded = false;  ///< sent again because the scripts were lost
};

/// Takes what a node refuses because another one is to be asked.
class Redirector {
 public:
  virtual ~Redirector() = default;

  virtual void redirect(const Errand& errand, const Redirection& where, Time now) = 0;

  /// The cluster does not know who owns the slot.
  virtual void cluster_is_down() = 0;
};

class Node {
 public:
  struct Context {
    const Options& options;
    ExchangeTable& table;
    ClientStats& stats;
    Redirector& redirector;
    std::uint64_t seed;
  };

  Node(std::uint16_t index, Address address, const Context& context);

  /// False: it is out of reach, or has enough to do; nothing is queued.
  [[nodiscard]] bool take(const Errand& errand);

  // What the shell does, asked behind each event.
  [[nodiscard]] bool wants_dial(Time now) const noexcept;
  [[nodiscard]] bool wants_close() const noexcept { return !trouble_.empty(); }
  /// Empty where there is nothing, or what was taken last is not written yet.
  [[nodiscard]] std::string_view take_output(Time now);
  /// When `tick` has something to do, or the next attempt to dial is due.
  [[nodiscard]] Time next_time() const noexcept;

  // What the shell tells.
  void dialing() noexcept { state_ = State::dialing; }
  void dial_failed(Time now, std::string_view why);
  void dialed(Time now);
  void wrote() noexcept;
  [[nodiscard]] std::span<char> room() { return input_.room(); }
  void arrived(std::size_t count, Time now);
  /// The connection is closed: by the peer, or because the node wanted it.
  void lost(Time now, std::string_view why);
  void tick(Time now);

  /// Commands that are in flight here were not answered in time.
  void timed_out(std::uint32_t commands, Time now);

  /// Ends the connection, and dials again at once.
  void drop(std::string_view why);
  /// Dials no more, until it is given something to do again.
  void retire();
  /// The shell has closed the connection for good; nothing is told of it.
  void close() noexcept;
  /// Where it is dialed from now on; what is known of it stays.
  void stands_at(Address address) { address_ = std::move(address); }
  /// Becomes a node of which nothing is known. Only where it is retired.
  void start_at(Address address);

  [[nodiscard]] const Address& address() const noexcept { return address_; }
  [[nodiscard]] Duration clock_offset() const noexcept { return clock_.value(); }
  [[nodiscard]] bool is_idle() const noexcept { return queue_.empty() && awaited_.empty(); }
  [[nodiscard]] bool is_connected() const noexcept { return state_ != State::waiting; }
  [[nodiscard]] bool is_ready() const noexcept { return state_ == State::ready; }
  /// Whether it takes errands, as far as is known.
  [[nodiscard]] bool is_in_reach() const noexcept { return !breaker_.is_open(); }
  [[nodiscard]] bool is_retired() const noexcept { return retired_; }

 private:
  enum class State : std::uint8_t { waiting, dialing, shaking, timing, ready };
  enum class Kind : std::uint8_t { command, asking, load_script, time, probe };

  struct Awaited {
    Kind kind = Kind::command;
    Errand errand;  // of one command
    Time due;
    Time sent;
  };

  void write_all(Time now);
  void write(const Errand& errand, Time now);
  void write_own(Kind kind, std::span<const std::string_view> words, Time now);
  void handle(Time now);
  void shake(Time now);
  void on_command(const Awaited& awaited, Time now);
  bool on_refusal(const Awaited& awaited, Time now);
  void on_time(const Awaited& awaited, Time now);
  void on_probe(const Awaited& awaited, Time now);
  void become_ready(Time now);
  void check_probe(Time now);
  void break_off(std::string_view why);
  void failed_to_connect(Time now, std::string_view why);
  void give_up_queue();
  void give_up_in_flight();
  [[nodiscard]] Time silent_by() const noexcept;
  void forget_connection() noexcept;
  void tell(std::string_view text, std::string_view why, bool is_trouble);

  std::uint16_t index_;
  Address address_;
  Context context_;
  State state_ = State::waiting;
  Backoff backoff_;
  Breaker breaker_;
  ClockOffset clock_;
  std::optional<Handshake> handshake_;
  Fifo<Errand> queue_;     // not written yet
  Fifo<Awaited> awaited_;  // written, without a reply
  Fifo<Awaited> lost_;     // what was awaited on a connection that is gone
  std::string output_;
  Input input_;
  wire::resp::Reply reply_;
  bool writing_ = false;       // `output_` is with the shell
  bool load_scripts_ = false;  // wanted before the next errand
  bool ask_time_ = false;      // wanted, and so on
  bool probe_ = false;
  std::size_t loading_ = 0;  // scripts without their reply
  std::size_t orphans_ = 0;  // commands in flight that nobody waits for
  unsigned samples_ = 0;     // of the time, on this connection
  std::string trouble_;      // why the connection is to go
  bool dropped_ = false;     // it goes though nothing failed
  bool retired_ = false;
  bool told_trouble_ = false;  // until it is over
  Time next_dial_;
  Time shaken_by_;
  Time next_sample_;
  Time next_probe_;
  std::optional<Time> probe_due_;  // of the one that is out
};

}  // namespace weir::redis
