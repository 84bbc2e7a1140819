// SPDX-License-Identifier: Apache-2.0
// What a serving process tells operators of itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cli/shared_stores.hpp"
#include "front/metrics.hpp"
#include "front/server.hpp"
#include "limiter/engine.hpp"
#include "store/table.hpp"

namespace weir::cli {

/// How the reloads of the configuration went.
class ReloadRecord {
 public:
  explicit ReloadRecord(Time start) { metrics_.last_success = start; }

  void succeeded(Time now);
  void failed();
  [[nodiscard]] front::ReloadMetrics metrics() const;

 private:
  mutable std::mutex mutex_;
  front::ReloadMetrics metrics_;
};

/// Gathers the numbers of the parts. They outlive it.
class Status final : public front::StatusSource {
 public:
  struct Parts {
    const limiter::Engine& engine;
    const store::Table& table;
    const SharedStores& shared;
    const front::LatencyBook& latency;
    const ReloadRecord& reloads;
    const Clock& clock;
  };

  explicit Status(const Parts& parts) : parts_(parts) {}

  struct NamedDoor {
    std::string name;
    const front::Door& door;
  };

  /// Also tells of the server and its doors, which are made after this, for they show it. Before
  /// the server runs.
  void tell_of(const front::Server& server, std::vector<NamedDoor> doors) {
    server_ = &server;
    doors_ = std::move(doors);
  }

  [[nodiscard]] std::optional<std::string> why_not_ready() const override;
  [[nodiscard]] front::Metrics metrics() const override;

  /// Counts the live keys by looking at all of the table, which pages then tell. Takes a while: not
  /// for the threads that serve.
  void count_keys();

  /// From now on the process gets no new requests.
  void stopping() noexcept { stopping_.store(true, std::memory_order_relaxed); }

 private:
  Parts parts_;
  const front::Server* server_ = nullptr;
  std::vector<NamedDoor> doors_;
  std::atomic<std::uint64_t> live_keys_{0};
  std::atomic<bool> stopping_{false};
};

}  // namespace weir::cli
