// SPDX-License-Identifier: Apache-2.0
// A client without I/O: exchanges go to the nodes that own their slots, and are followed where they
// are redirected.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "redis/node.hpp"
#include "redis/slot.hpp"
#include "redis/slot_map.hpp"

namespace weir::redis {

class Router final : public Redirector {
 public:
  /// `options` and `stats` outlive it.
  Router(const Options& options, ClientStats& stats, std::uint64_t seed);

  /// Gives up everything, for good.
  void close() noexcept;

  /// Never calls the asker back: what can't be sent is given up by the next `tick`.
  void send(Exchange& exchange);

  /// Gives up what has waited too long, and tells the nodes the time.
  void tick(Time now);
  [[nodiscard]] Time next_time() const noexcept;

  /// A node keeps its place. A cluster's come and go.
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] Node& node(std::size_t index) noexcept { return *nodes_[index]; }

  [[nodiscard]] Duration clock_offset(std::uint16_t slot) const noexcept;

  // The map of a cluster: whom the shell asks for it, when, and what came of it.
  [[nodiscard]] bool wants_map(Time now) const noexcept;
  [[nodiscard]] std::vector<Address> whom_to_ask() const;
  void asking_for_map(Time now) noexcept;
  void map_arrived(const std::vector<SlotRange>& ranges);
  void map_failed();

  void redirect(const Errand& errand, const Redirection& where, Time now) override;
  void cluster_is_down() override { wants_map_ = true; }

 private:
  static constexpr std::uint16_t nobody = ExchangeTable::no_node;
  static constexpr std::size_t most_nodes = 1024;

  struct Delayed {
    Time when;
    Errand errand;
  };

  Node* owner(std::uint16_t slot) noexcept;
  bool hand_over(const Errand& errand, std::uint16_t slot);
  std::uint16_t node_at(const Address& address);
  void go_on_with_unmapped();
  void retire_unused();

  const Options& options_;
  ClientStats& stats_;
  std::uint64_t seed_;
  ExchangeTable table_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Ticket> refused_;   // to be given up by the next tick
  std::vector<Delayed> delayed_;  // TRYAGAIN; few, and rarely any
  std::minstd_rand random_;

  std::array<std::uint16_t, slots> owners_;  // a cluster's: places in `nodes_`
  Fifo<Errand> unmapped_;                    // sent before the first map was there
  bool is_mapped_ = false;
  bool wants_map_ = false;
  bool asks_for_map_ = false;
  bool map_is_lost_ = false;  // the last attempt failed, and there is none
  Time next_map_;
};

}  // namespace weir::redis
