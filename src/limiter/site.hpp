// SPDX-License-Identifier: Apache-2.0
// A shared store as the router sees it: in reach or not, and what stands in for it meanwhile.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "base/spin_lock.hpp"
#include "limiter/routed_store.hpp"
#include "store/table.hpp"

namespace weir::limiter {

/// Used by all loops at once.
struct RoutedStore::Site {
  explicit Site(SharedSite site_in) : site(std::move(site_in)) {}

  /// The store failed to answer at `now`, or it answered.
  void failed(Time now) noexcept;
  void answered(Time now) noexcept;

  [[nodiscard]] bool out_of_reach() const noexcept { return out.load(std::memory_order_relaxed); }

  /// This instance's share of each limit, counted for as long as the store is out of reach and a
  /// little longer, so that a store that comes and goes does not make the shares anew each time.
  [[nodiscard]] std::shared_ptr<store::Table> fallback();

  const SharedSite site;

 private:
  /// Some answers may still come while others fail: in reach is what has not failed for so long.
  static constexpr Duration settled_after = std::chrono::milliseconds{500};
  static constexpr Duration release_after = std::chrono::seconds{10};

  std::atomic<bool> out{false};
  std::atomic<bool> has_fallback{false};
  std::atomic<std::int64_t> last_failure_ns{0};
  SpinLock lock;
  std::shared_ptr<store::Table> table WEIR_GUARDED_BY(lock);
};

}  // namespace weir::limiter
