// SPDX-License-Identifier: Apache-2.0
// The stores that a configuration shares with other instances, as a process uses them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "front/metrics.hpp"
#include "front/server.hpp"
#include "limiter/routed_store.hpp"
#include "redis/store.hpp"
#include "rules/config.hpp"
#include "store/store.hpp"

namespace weir::cli {

class SharedStores {
 public:
  /// `table` and `clock` outlive it. What happens to the stores is logged.
  SharedStores(const std::vector<rules::StoreConfig>& configs, store::Table& table,
               const Clock& clock);

  /// Where all counters are: the table's and the shared ones.
  [[nodiscard]] Store& store() noexcept;

  /// Gives every loop of the server its connections.
  void attach_to(front::Server& server);

  [[nodiscard]] std::vector<front::StoreMetrics> metrics() const;

 private:
  struct Shared {
    std::string name;
    std::unique_ptr<redis::RedisStore> store;
  };

  store::Table& table_;
  std::vector<Shared> stores_;
  std::unique_ptr<limiter::RoutedStore> routed_;
};

}  // namespace weir::cli
