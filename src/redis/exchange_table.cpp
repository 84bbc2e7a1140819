// SPDX-License-Identifier: Apache-2.0
// An exchange has changed something, or may have, as soon as one of its commands is in flight or
// has its reply.
#include "redis/exchange_table.hpp"

#include <cassert>

namespace weir::redis {

Ticket ExchangeTable::add(Exchange& exchange) {
  assert(!exchange.ends.empty() && exchange.ends.back() == exchange.bytes.size());
  if (free_.empty()) {
    free_.reserve(entries_.size() + 1);  // so that giving a place back never allocates
    free_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  const auto place = free_.back();
  free_.pop_back();
  Entry& entry = entries_[place];
  entry = {.exchange = &exchange,
           .turn = entry.turn + 1,
           .missing = static_cast<std::uint32_t>(exchange.ends.size())};
  next_deadline_ = std::min(next_deadline_, exchange.deadline);
  return {place, entry.turn};
}

ExchangeTable::Entry* ExchangeTable::find(Ticket ticket) noexcept {
  if (ticket.place >= entries_.size()) return nullptr;
  Entry& entry = entries_[ticket.place];
  return entry.exchange != nullptr && entry.turn == ticket.turn ? &entry : nullptr;
}

void ExchangeTable::written(Ticket ticket, std::uint32_t commands) noexcept {
  find(ticket)->in_flight += commands;
  stats_.sent.fetch_add(commands, std::memory_order_relaxed);
}

void ExchangeTable::refused(Ticket ticket) noexcept {
  if (Entry* entry = find(ticket)) --entry->in_flight;
}

void ExchangeTable::replied(Ticket ticket, std::uint32_t command,
                            const wire::resp::Reply& reply) noexcept {
  Entry* entry = find(ticket);
  if (entry == nullptr) return;
  --entry->in_flight;
  const bool last = --entry->missing == 0;
  stats_.replied.fetch_add(1, std::memory_order_relaxed);
  Exchange& exchange = *entry->exchange;
  if (exchange.on_reply != nullptr) exchange.on_reply(exchange, command, reply);
  if (last) end(ticket, Exchange::End::replied);
}

void ExchangeTable::give_up(Ticket ticket) noexcept {
  const Entry* entry = find(ticket);
  if (entry == nullptr) return;
  const bool untouched = entry->in_flight == 0 && entry->missing == entry->exchange->ends.size();
  end(ticket, untouched ? Exchange::End::unavailable : Exchange::End::unknown);
}

void ExchangeTable::end(Ticket ticket, Exchange::End end) noexcept {
  Entry& entry = entries_[ticket.place];
  Exchange& exchange = *entry.exchange;
  entry.exchange = nullptr;
  free_.push_back(ticket.place);
  if (end == Exchange::End::unavailable) {
    stats_.unavailable.fetch_add(1, std::memory_order_relaxed);
  }
  if (exchange.on_end != nullptr) exchange.on_end(exchange, end);
}

void ExchangeTable::clear() noexcept {
  while (size() > 0) {  // askers may add others from within
    for (std::uint32_t place = 0; place < entries_.size(); ++place) {
      give_up({place, entries_[place].turn});
    }
  }
}

}  // namespace weir::redis
