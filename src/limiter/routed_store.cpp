// SPDX-License-Identifier: Apache-2.0
#include "limiter/routed_store.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "limiter/flight.hpp"
#include "limiter/site.hpp"
#include "store/counters.hpp"

namespace weir::limiter {

/// Flights that rest, in stripes so that threads seldom meet.
struct RoutedStore::Hangar {
  struct alignas(64) Stripe {
    SpinLock lock;
    std::vector<std::unique_ptr<Flight>> flights WEIR_GUARDED_BY(lock);
  };
  std::array<Stripe, store::stripe_count> stripes;

  Stripe& mine() noexcept { return stripes[store::stripe_of_thread()]; }
};

RoutedStore::RoutedStore(Store& table, std::vector<SharedSite> sites)
    : table_(table), hangar_(std::make_unique<Hangar>()) {
  for (auto& site : sites) sites_.push_back(std::make_unique<Site>(std::move(site)));
}

RoutedStore::~RoutedStore() = default;

std::unique_ptr<RoutedStore::Flight> RoutedStore::take_flight() {
  auto& stripe = hangar_->mine();
  {
    const SpinGuard guard(stripe.lock);
    if (!stripe.flights.empty()) {
      auto flight = std::move(stripe.flights.back());
      stripe.flights.pop_back();
      return flight;
    }
  }
  return std::make_unique<Flight>(*this);
}

void RoutedStore::give_back(std::unique_ptr<Flight> flight) noexcept {
  auto& stripe = hangar_->mine();
  const SpinGuard guard(stripe.lock);
  stripe.flights.push_back(std::move(flight));
}

Store::Applied RoutedStore::apply(StoreBatch& batch) noexcept {
  const auto is_shared = [](const Op& op) { return op.shared != nullptr; };
  if (std::ranges::none_of(batch.ops, is_shared)) return table_.apply(batch);
  auto flight = take_flight();
  Flight& taken = *flight;
  return taken.start(std::move(flight), batch);
}

void RoutedStore::carry_over(Time now, std::span<const CarryOver> moves) noexcept {
  for (const auto& move : moves) {
    const bool shared = move.shared_after != nullptr && move.shared_before != nullptr;
    if (!shared && (move.shared_after != nullptr || move.shared_before != nullptr)) continue;
    if (shared && move.shared_after->store != move.shared_before->store) continue;
    Store& store = shared ? *sites_[move.shared_after->store]->site.store : table_;
    store.carry_over(now, {&move, 1});
  }
}

void RoutedStore::reset(const Key& key, const CompiledLimit& limit) noexcept {
  table_.reset(key, limit);
}

bool RoutedStore::out_of_reach(std::size_t site) const noexcept {
  return sites_[site]->out_of_reach();
}

}  // namespace weir::limiter
