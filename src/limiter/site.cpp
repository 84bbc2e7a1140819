// SPDX-License-Identifier: Apache-2.0
#include "limiter/site.hpp"

#include <utility>

namespace weir::limiter {

namespace {

std::int64_t ns(Time time) noexcept { return time.time_since_epoch().count(); }

}  // namespace

void RoutedStore::Site::failed(Time now) noexcept {
  last_failure_ns.store(ns(now), std::memory_order_relaxed);
  if (!out.exchange(true, std::memory_order_relaxed) && site.on_change) site.on_change(true);
}

void RoutedStore::Site::answered(Time now) noexcept {
  const bool was_out = out_of_reach();
  if (!was_out && !has_fallback.load(std::memory_order_relaxed)) return;
  const Duration since{ns(now) - last_failure_ns.load(std::memory_order_relaxed)};
  if (was_out && since >= settled_after && out.exchange(false, std::memory_order_relaxed) &&
      site.on_change) {
    site.on_change(false);
  }
  if (since < release_after || !has_fallback.exchange(false, std::memory_order_relaxed)) return;
  std::shared_ptr<store::Table> released;  // freed without the lock
  const SpinGuard guard(lock);
  released.swap(table);
}

std::shared_ptr<store::Table> RoutedStore::Site::fallback() {
  {
    const SpinGuard guard(lock);
    if (table) return table;
  }
  auto fresh = std::make_shared<store::Table>(
      store::TableOptions{.memory_bytes = site.fallback_bytes,
                          .log_percent = store::TableOptions::log_percent_with_logs});
  const SpinGuard guard(lock);
  if (!table) table = std::move(fresh);
  has_fallback.store(true, std::memory_order_relaxed);
  return table;
}

}  // namespace weir::limiter
