// SPDX-License-Identifier: Apache-2.0
// What operators see of a running server: its numbers as a value, and their text for Prometheus.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weir/clock.hpp>

#include "front/latency.hpp"
#include "limiter/engine.hpp"

namespace weir::front {

/// The key table's numbers.
struct TableMetrics {
  std::uint64_t keys = 0;  ///< live keys
  std::uint64_t slots = 0;
  std::uint64_t evictions = 0;  ///< live keys that were forgotten for others, since the start
  std::uint64_t bytes = 0;      ///< memory taken for it
};

/// A store that instances share.
struct StoreMetrics {
  std::string store;  ///< its URL without passwords
  bool in_reach = true;
  std::uint64_t connections = 0;  ///< open now
  std::uint64_t connects = 0;
  std::uint64_t connects_failed = 0;
  std::uint64_t replied = 0;  ///< questions by how they ended
  std::uint64_t timed_out = 0;
  std::uint64_t unavailable = 0;
  std::uint64_t error_replies = 0;
  std::uint64_t redirections = 0;
};

struct ReloadMetrics {
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  bool last_succeeded = true;
  Time last_success{};  ///< the configuration in force is from then
};

struct DoorMetrics {
  std::string door;  ///< `http`, `resp`, ...
  std::uint64_t open_connections = 0;
};

/// All numbers at one moment. Counters count since the start. Nothing here depends on what callers
/// send: rules and limits are told by the names that the configuration gives them, keys not at all.
struct Metrics {
  std::string version;
  std::vector<limiter::DecisionCount> decisions;
  std::uint64_t exempt = 0;
  std::uint64_t forbidden = 0;
  LatencyCounts latency;
  TableMetrics table;
  std::vector<StoreMetrics> stores;
  ReloadMetrics reloads;
  std::vector<DoorMetrics> doors;
  std::uint64_t connections_refused = 0;
};

/// Where pages for operators get what they tell. Called by any loop's thread, also by several at
/// once.
class StatusSource {
 public:
  virtual ~StatusSource() = default;

  /// Why this server should get no requests; nothing where it may.
  [[nodiscard]] virtual std::optional<std::string> why_not_ready() const = 0;

  [[nodiscard]] virtual Metrics metrics() const = 0;
};

/// `metrics` in the Prometheus text format, with what the system says of this process.
[[nodiscard]] std::string prometheus_text(const Metrics& metrics);

}  // namespace weir::front
