// SPDX-License-Identifier: Apache-2.0
#include "cli/status.hpp"

namespace weir::cli {

void ReloadRecord::succeeded(Time now) {
  const std::lock_guard lock(mutex_);
  ++metrics_.succeeded;
  metrics_.last_succeeded = true;
  metrics_.last_success = now;
}

void ReloadRecord::failed() {
  const std::lock_guard lock(mutex_);
  ++metrics_.failed;
  metrics_.last_succeeded = false;
}

front::ReloadMetrics ReloadRecord::metrics() const {
  const std::lock_guard lock(mutex_);
  return metrics_;
}

std::optional<std::string> Status::why_not_ready() const {
  if (stopping_.load(std::memory_order_relaxed)) return "stopping";
  return std::nullopt;
}

void Status::count_keys() {
  const auto stats = parts_.table.stats(parts_.clock.now(), store::Table::Count::exact);
  live_keys_.store(stats.live_keys, std::memory_order_relaxed);
}

front::Metrics Status::metrics() const {
  const auto table = parts_.table.stats(parts_.clock.now());
  front::Metrics metrics;
  metrics.version = WEIR_VERSION;
  metrics.decisions = parts_.engine.decision_counts();
  metrics.exempt = parts_.engine.exempt_count();
  metrics.forbidden = parts_.engine.forbidden_count();
  metrics.latency = parts_.latency.counts();
  metrics.table = {.keys = live_keys_.load(std::memory_order_relaxed),
                   .slots = table.cells,
                   .evictions = table.live_evictions,
                   .bytes = table.memory_bytes};
  metrics.stores = parts_.shared.metrics();
  metrics.reloads = parts_.reloads.metrics();
  for (const auto& [name, door] : doors_) {
    metrics.doors.push_back({name, door.open_connections()});
  }
  if (server_ != nullptr) metrics.connections_refused = server_->stats().turned_away;
  return metrics;
}

}  // namespace weir::cli
