// SPDX-License-Identifier: Apache-2.0
// One store over all: each op is decided where its counter stands, in this process's table or in a
// store that instances share, and what a shared store cannot tell is decided by the limit's failure
// policy.
//
//     request     part 0 (enforced)                      shadow parts
//     ops         [ table ][ store A ][ store B ]        [ store A ]
//     round 1              ask        ask                                 at the same time
//                 ask, when all others have admitted
//     round 2              give back, where any refused    ask
//     round 3                                              give back
//
// A request whose counters all stand in one place of one store is one question, decided there in
// one atomic step: round 1 alone. Counters in several places (two stores, two slots of a cluster)
// are asked at the same time and, where one of them refuses, given back at the others. What can go
// wrong in between (a lost answer, a crash) leaves units taken that were not used: too few are
// admitted, never too many.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "store/store.hpp"
#include "store/table.hpp"

namespace weir::limiter {

/// A store that instances share, as the router knows it.
struct SharedSite {
  Store* store = nullptr;
  std::size_t fallback_bytes = std::size_t{16} << 20;  ///< for `local`, while it is out of reach

  /// Told once for each change, on the loop that met it.
  std::function<void(bool out_of_reach)> on_change;
};

class RoutedStore final : public Store {
 public:
  /// `table` and the sites' stores outlive it.
  RoutedStore(Store& table, std::vector<SharedSite> sites);
  ~RoutedStore() override;

  Applied apply(StoreBatch& batch) noexcept override;
  void carry_over(Time now, std::span<const CarryOver> moves) noexcept override;
  void reset(const Key& key, const CompiledLimit& limit) noexcept override;

  /// Whether the shared store last failed to answer.
  [[nodiscard]] bool out_of_reach(std::size_t site) const noexcept;

 private:
  class Flight;
  struct Site;
  struct Hangar;

  std::unique_ptr<Flight> take_flight();
  void give_back(std::unique_ptr<Flight> flight) noexcept;

  Store& table_;
  std::vector<std::unique_ptr<Site>> sites_;
  std::unique_ptr<Hangar> hangar_;  // flights that rest
};

}  // namespace weir::limiter
