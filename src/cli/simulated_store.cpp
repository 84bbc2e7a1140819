// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/simulation.hpp"
#include "cli/store_options.hpp"
#include "redis/blocking_store.hpp"

namespace weir::cli {

std::unique_ptr<Store> simulated_store(const rules::StoreConfig& config) {
  auto options = options_of(config);
  options.use_store_time = false;
  options.deny_cache = Duration::zero();       // what is measured by real time would be wrong here
  options.key_grace = std::chrono::hours{24};  // the events' time may stand still for long
  return std::make_unique<redis::BlockingStore>(std::move(options), SteadyClock::shared());
}

}  // namespace weir::cli
