// SPDX-License-Identifier: Apache-2.0
// What a request asks the store, and what its replies mean. Pure: bytes out, replies in.
//
// The scripts decide and tell the state that they saw; the numbers are made here, by the limit's
// own step on that state. So a verdict and its numbers are the same on every store.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "redis/command.hpp"
#include "redis/found.hpp"
#include "redis/key_name.hpp"
#include "store/store.hpp"

namespace weir::redis {

/// How a request is asked.
enum class Form : std::uint8_t {
  get,     ///< one state is read: nothing can change
  bucket,  ///< one bucket or queue is acquired: bucket.lua
  window,  ///< one fixed window is acquired: SET .. NX and BITFIELD .. OVERFLOW FAIL
  one,     ///< anything else of one limit alone at its key: one.lua
  pack,    ///< one acquire of limits in one key: pack.lua
  decide,  ///< everything else: decide.lua
};

class Codec {
 public:
  /// Keys live for `grace` longer than their states matter.
  explicit Codec(std::string_view prefix, Duration grace = std::chrono::seconds{1})
      : prefix_(prefix), grace_(grace) {}

  /// Appends the commands of `ops`, which are one request, to be decided at `now`: the time of the
  /// store, in whole microseconds.
  Form ask(Time now, std::span<const Op> ops, Exchange& exchange);

  /// Appends a question that any store answers.
  void greet(Exchange& exchange);

  /// A counter at one end of a move, and its state as it was seen; empty: none.
  struct MoveEnd {
    Op op;
    std::string_view seen;
  };

  /// Appends what moves a state, where both are still as they were seen: a log to a log as it is,
  /// else by debiting the cost of `to`. The reply is 1 where it moved.
  void move(Time now, const MoveEnd& from, const MoveEnd& to, Exchange& exchange);

  /// Appends what gives an op's key an end where it has none: for windows that refused.
  void keep(Time now, const Op& op, Exchange& exchange);

  /// Appends what forgets an op's state, of a fixed window the state at `now`.
  void forget(Time now, const Op& op, Exchange& exchange);

 private:
  void ask_get(const Op& op, Time now, Exchange& exchange);
  void ask_bucket(const Op& op, Time now, Exchange& exchange);
  void ask_window(const Op& op, Time now, Exchange& exchange);
  void ask_one(const Op& op, Time now, Exchange& exchange);
  void ask_pack(std::span<const Op> ops, Time now, Exchange& exchange);
  void ask_decide(std::span<const Op> ops, Time now, Exchange& exchange);
  void add_numbers(const Op& op, Time now);
  void add_bucket(const Op& op, Time now);

  /// How long a key lives, in milliseconds.
  [[nodiscard]] std::int64_t time_to_live(Duration state) const noexcept;

  std::string prefix_;
  Duration grace_;
  CommandBuilder command_;
};

/// A request, when it is decided, and where it goes what is read of its replies.
struct Asked {
  Form form = Form::get;
  Time now{};
  std::span<const Op> ops{};
  std::span<Outcome> outcomes{};  ///< as many as `ops`
  std::span<Found> found{};       ///< the same: the state that each op was decided by
};

/// Reads the reply to the `command`-th command of what was asked. False where it is an error or no
/// reply to that: the store is broken, as far as this request is concerned.
[[nodiscard]] bool read_reply(const Asked& asked, std::size_t command,
                              const wire::resp::Reply& reply) noexcept;

/// Decides the ops of one request by the states found: every op of a part is charged where all of
/// them and all of part 0 admit.
void decide_by_found(const Asked& asked) noexcept;

}  // namespace weir::redis
