// SPDX-License-Identifier: Apache-2.0
#include "cli/shared_stores.hpp"

#include <spdlog/spdlog.h>

#include <map>
#include <mutex>
#include <utility>

#include "cli/store_options.hpp"

namespace weir::cli {

namespace {

/// Every loop has its own connections and tells of each: what several say at about the same time is
/// logged once.
class ConnectionLog {
 public:
  void tell(const std::string& text, bool is_trouble, Time now) {
    {
      const std::lock_guard lock(mutex_);
      if (told_.size() > most_kept) told_.clear();
      const auto [last, is_new] = told_.try_emplace(text, now);
      if (!is_new && now - last->second < apart) return;
      last->second = now;
    }
    spdlog::log(is_trouble ? spdlog::level::warn : spdlog::level::info, "store: {}", text);
  }

 private:
  static constexpr Duration apart = std::chrono::seconds{10};
  static constexpr std::size_t most_kept = 1000;

  std::mutex mutex_;
  std::map<std::string, Time> told_;
};

}  // namespace

SharedStores::SharedStores(const std::vector<rules::StoreConfig>& configs, store::Table& table,
                           const Clock& clock)
    : table_(table) {
  std::vector<limiter::SharedSite> sites;
  for (const auto& config : configs) {
    const auto name = redis::without_passwords(config.url);
    auto store = std::make_unique<redis::RedisStore>(options_of(config), clock);
    store->client_stats().on_change = [log = std::make_shared<ConnectionLog>(), &clock](
                                          const std::string& text, bool is_trouble) {
      log->tell(text, is_trouble, clock.now());
    };
    sites.push_back(
        {.store = store.get(),
         .fallback_bytes = config.fallback_bytes,
         .on_change = [name](bool out_of_reach) {
           out_of_reach ? spdlog::warn("store {} is out of reach: on_store_failure decides", name)
                        : spdlog::info("store {} is in reach again", name);
         }});
    stores_.push_back({name, std::move(store)});
  }
  if (!stores_.empty()) {
    routed_ = std::make_unique<limiter::RoutedStore>(table_, std::move(sites));
  }
}

Store& SharedStores::store() noexcept {
  return routed_ ? static_cast<Store&>(*routed_) : static_cast<Store&>(table_);
}

void SharedStores::attach_to(front::Server& server) {
  for (auto& shared : stores_) {
    server.add_to_loops(
        [&store = *shared.store](front::LoopContext& loop) -> std::shared_ptr<void> {
          return store.attach(loop.io());
        });
  }
}

std::vector<front::StoreMetrics> SharedStores::metrics() const {
  std::vector<front::StoreMetrics> all;
  for (std::size_t site = 0; site < stores_.size(); ++site) {
    const auto& stats = stores_[site].store->client_stats();
    const auto read = [](const std::atomic<std::uint64_t>& count) {
      return count.load(std::memory_order_relaxed);
    };
    all.push_back({.store = stores_[site].name,
                   .in_reach = !routed_->out_of_reach(site),
                   .connections = read(stats.open_connections),
                   .connects = read(stats.connects),
                   .connects_failed = read(stats.connects_failed),
                   .replied = read(stats.replied),
                   .timed_out = read(stats.timed_out),
                   .unavailable = read(stats.unavailable),
                   .error_replies = read(stats.error_replies),
                   .redirections = read(stats.redirections)});
  }
  return all;
}

}  // namespace weir::cli
