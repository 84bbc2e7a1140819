// SPDX-License-Identifier: Apache-2.0
// The exchanges of one client that have not ended: what each still waits for, and until when.
#pragma once

#include <cstdint>
#include <vector>

#include "redis/exchange.hpp"
#include "redis/options.hpp"

namespace weir::redis {

/// Names an exchange for as long as it has not ended. What is written on its behalf is answered
/// later than that at times: then its ticket names nothing.
struct Ticket {
  std::uint32_t place = 0;
  std::uint32_t turn = 0;  // of those that have had the place
};

/// Calls the askers back. They may add exchanges from within such a call.
class ExchangeTable {
 public:
  explicit ExchangeTable(ClientStats& stats) noexcept : stats_(stats) {}

  static constexpr std::uint16_t no_node = 0xFFFF;

  struct Entry {
    Exchange* exchange = nullptr;  ///< none: the place is free
    std::uint32_t turn = 0;
    std::uint32_t missing = 0;     ///< commands without their reply
    std::uint32_t in_flight = 0;   ///< of them: written, and not refused since
    std::uint16_t node = no_node;  ///< where it was last sent
    std::uint8_t redirections = 0;
    std::uint8_t tries_again = 0;
  };

  [[nodiscard]] Ticket add(Exchange& exchange);

  /// Nothing where the exchange has ended. Valid until the next call of anything else.
  [[nodiscard]] Entry* find(Ticket ticket) noexcept;

  void written(Ticket ticket, std::uint32_t commands) noexcept;

  /// A command was refused before it ran, and is going to be sent once more.
  void refused(Ticket ticket) noexcept;

  /// A command has its reply; the last one ends the exchange.
  void replied(Ticket ticket, std::uint32_t command, const wire::resp::Reply& reply) noexcept;

  /// Ends it as `unavailable`, or `unknown` where some of it may have run.
  void give_up(Ticket ticket) noexcept;

  /// When the first of them ends for its deadline, or earlier.
  [[nodiscard]] Time next_deadline() const noexcept { return next_deadline_; }

  /// Gives up what has waited too long. `late` is told of each that was: of its entry.
  template <typename Late>
  void expire(Time now, const Late& late) {
    if (now < next_deadline_) return;
    next_deadline_ = Time::max();
    // Askers may add to the table from within: by index, and those are looked at as well.
    for (std::uint32_t place = 0; place < entries_.size(); ++place) {
      const Entry entry = entries_[place];
      if (entry.exchange == nullptr) continue;
      if (entry.exchange->deadline > now) {
        next_deadline_ = std::min(next_deadline_, entry.exchange->deadline);
        continue;
      }
      stats_.timed_out.fetch_add(1, std::memory_order_relaxed);
      late(entry);
      give_up({place, entry.turn});
    }
  }

  /// Gives up all.
  void clear() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size() - free_.size(); }

 private:
  void end(Ticket ticket, Exchange::End end) noexcept;

  ClientStats& stats_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;  // places
  Time next_deadline_ = Time::max();
};

}  // namespace weir::redis
