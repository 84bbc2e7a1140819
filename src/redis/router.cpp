// SPDX-License-Identifier: Apache-2.0
// Without a cluster there is one node, which owns every slot.
#include "redis/router.hpp"

#include <algorithm>

namespace weir::redis {

namespace {

using namespace std::chrono_literals;

constexpr unsigned most_redirections = 3;
constexpr unsigned most_tries_again = 2;
constexpr Duration map_interval = 1s;  // between questions for the map, and up to a tenth more

}  // namespace

Router::Router(const Options& options, ClientStats& stats, std::uint64_t seed)
    : options_(options), stats_(stats), seed_(seed), table_(stats), random_(seed) {
  owners_.fill(nobody);
  wants_map_ = options.topology == Topology::cluster;
  if (wants_map_) return;
  // Until the sentinels have said where it stands, the master is known by its name.
  const bool has_sentinels = options.topology == Topology::sentinel;
  node_at(has_sentinels ? Address{options.master_name, 0} : options.addresses.at(0));
}

void Router::close() noexcept {
  for (const auto& node : nodes_) node->close();
  table_.clear();
}

Node* Router::owner(std::uint16_t slot) noexcept {
  if (options_.topology != Topology::cluster) return nodes_.front().get();
  const auto index = owners_[slot % slots];
  return index == nobody ? nullptr : nodes_[index].get();
}

void Router::send(Exchange& exchange) {
  const Ticket ticket = table_.add(exchange);
  const Errand errand{.ticket = ticket, .count = static_cast<std::uint32_t>(exchange.ends.size())};
  if (!hand_over(errand, exchange.slot)) refused_.push_back(ticket);
}

bool Router::hand_over(const Errand& errand, std::uint16_t slot) {
  Node* node = owner(slot);
  if (node != nullptr && node->take(errand)) return true;
  // A master that is gone can't say who took its place.
  wants_map_ = wants_map_ || node == nullptr || !node->is_in_reach();
  if (node != nullptr || is_mapped_ || map_is_lost_) return false;
  if (unmapped_.size() >= options_.most_waiting) return false;
  unmapped_.push(errand);
  return true;
}

void Router::tick(Time now) {
  while (!refused_.empty()) {
    const Ticket ticket = refused_.back();
    refused_.pop_back();
    table_.give_up(ticket);
  }
  table_.expire(now, [&](const ExchangeTable::Entry& entry) {
    if (entry.node < nodes_.size()) nodes_[entry.node]->timed_out(entry.in_flight, now);
  });
  for (std::size_t i = 0; i < delayed_.size();) {
    if (delayed_[i].when > now) {
      ++i;
      continue;
    }
    const Errand errand = delayed_[i].errand;
    delayed_[i] = delayed_.back();
    delayed_.pop_back();
    const auto* entry = table_.find(errand.ticket);
    if (entry != nullptr && !hand_over(errand, entry->exchange->slot))
      table_.give_up(errand.ticket);
  }
  for (const auto& node : nodes_) node->tick(now);
}

Time Router::next_time() const noexcept {
  Time next = refused_.empty() ? table_.next_deadline() : Time();
  for (const auto& delayed : delayed_) next = std::min(next, delayed.when);
  for (const auto& node : nodes_) next = std::min(next, node->next_time());
  if (options_.topology == Topology::cluster && wants_map_ && !asks_for_map_) {
    next = std::min(next, next_map_);
  }
  return next;
}

Duration Router::clock_offset(std::uint16_t slot) const noexcept {
  if (!options_.use_store_time) return {};
  if (options_.topology != Topology::cluster) return nodes_.front()->clock_offset();
  const auto index = owners_[slot % slots];
  return index == nobody ? Duration() : nodes_[index]->clock_offset();
}

void Router::redirect(const Errand& errand, const Redirection& where, Time now) {
  auto* entry = table_.find(errand.ticket);
  if (entry == nullptr) return;
  stats_.redirections.fetch_add(1, std::memory_order_relaxed);
  Errand again = errand;
  again.asking = where.kind == Redirection::Kind::ask;
  again.reloaded = false;
  if (where.kind == Redirection::Kind::try_again) {
    std::uniform_int_distribution<int> wait_ms(5, 20);
    if (++entry->tries_again > most_tries_again) return table_.give_up(errand.ticket);
    delayed_.push_back({now + std::chrono::milliseconds(wait_ms(random_)), again});
    return;
  }
  if (++entry->redirections > most_redirections) return table_.give_up(errand.ticket);
  const auto index = node_at(where.address);
  if (where.kind == Redirection::Kind::moved) {
    if (index != nobody) owners_[where.slot] = index;
    wants_map_ = true;
  }
  if (index == nobody || !nodes_[index]->take(again)) table_.give_up(errand.ticket);
}

std::uint16_t Router::node_at(const Address& address) {
  auto found = std::ranges::find(nodes_, address, [](const auto& node) { return node->address(); });
  if (found == nodes_.end()) {
    found = std::ranges::find_if(
        nodes_, [](const auto& node) { return node->is_retired() && !node->is_connected(); });
  }
  if (found != nodes_.end()) {
    if ((*found)->is_retired()) (*found)->start_at(address);
    return static_cast<std::uint16_t>(found - nodes_.begin());
  }
  if (nodes_.size() == most_nodes) return nobody;
  const auto index = static_cast<std::uint16_t>(nodes_.size());
  const Node::Context context{options_, table_, stats_, *this, seed_ + index};
  nodes_.push_back(std::make_unique<Node>(index, address, context));
  return index;
}

bool Router::wants_map(Time now) const noexcept {
  return options_.topology == Topology::cluster && wants_map_ && !asks_for_map_ && now >= next_map_;
}

std::vector<Address> Router::whom_to_ask() const {
  std::vector<Address> addresses;
  for (const auto& node : nodes_) {
    if (node->is_ready() && node->is_in_reach()) addresses.push_back(node->address());
  }
  addresses.insert(addresses.end(), options_.addresses.begin(), options_.addresses.end());
  return addresses;
}

void Router::asking_for_map(Time now) noexcept {
  std::uniform_int_distribution<Duration::rep> jitter(0, map_interval.count() / 10);
  next_map_ = now + map_interval + Duration(jitter(random_));
  asks_for_map_ = true;
  wants_map_ = false;
}

void Router::map_arrived(const std::vector<SlotRange>& ranges) {
  asks_for_map_ = map_is_lost_ = false;
  is_mapped_ = true;
  owners_.fill(nobody);
  for (const auto& range : ranges) {
    const auto index = node_at(range.master);
    for (unsigned slot = range.first; slot <= range.last; ++slot) owners_[slot] = index;
  }
  retire_unused();
  go_on_with_unmapped();
}

void Router::map_failed() {
  asks_for_map_ = false;
  wants_map_ = true;
  if (!is_mapped_) next_map_ -= map_interval / 2;
  map_is_lost_ = !is_mapped_;
  if (map_is_lost_) go_on_with_unmapped();
}

void Router::go_on_with_unmapped() {
  for (auto left = unmapped_.size(); left > 0; --left) {
    const Errand errand = unmapped_.pop();
    const auto* entry = table_.find(errand.ticket);
    if (entry != nullptr && !hand_over(errand, entry->exchange->slot))
      table_.give_up(errand.ticket);
  }
}

void Router::retire_unused() {
  std::vector<bool> used(nodes_.size());
  for (const auto owner : owners_) {
    if (owner != nobody) used[owner] = true;
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    // One that imports its first slots is asked for them before it owns any.
    if (!used[i] && nodes_[i]->is_idle()) nodes_[i]->retire();
  }
}

}  // namespace weir::redis
