// SPDX-License-Identifier: Apache-2.0
// `weir serve`: the parts of a serving process in the order of their making, and its main thread,
// which waits for signals and between them looks after the configuration and the state.
#include "cli/serve.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "cli/config_file.hpp"
#include "cli/file_watch.hpp"
#include "cli/log.hpp"
#include "cli/serve_config.hpp"
#include "cli/shared_stores.hpp"
#include "cli/signals.hpp"
#include "cli/state_keeper.hpp"
#include "cli/status.hpp"
#include "cli/store_options.hpp"
#include "front/admin/door.hpp"
#include "front/http/door.hpp"
#include "front/resp/door.hpp"

namespace weir::cli {

namespace {

/// How often the main thread looks after files. A change is in force after two looks.
constexpr Duration look_every = std::chrono::milliseconds{250};

class Serving {
 public:
  Serving(ServeConfig config, const ServeOptions& options, const Clock& clock)
      : clock_(clock),
        config_(std::move(config.config)),
        config_file_(options.config_file),
        overrides_(options.overrides),
        table_(table_options(config_)),
        shared_(config_.stores, table_, clock),
        state_({config_.state_file, config_.state_every, shared_secret(config_.stores)}, table_,
               clock.now()),
        engine_(config_.rules, shared_.store(), state_.secret()),
        headers_(config_.headers),
        reloads_(clock.now()),
        status_({engine_, table_, shared_, latency_, reloads_, clock_}),
        http_({engine_, status_, headers_, latency_}),
        resp_(engine_, latency_, config_.resp_password),
        admin_(status_),
        server_({.loops = config_.loops,
                 .most_connections = config_.connections.most,
                 .idle_timeout = config_.connections.idle_timeout,
                 .request_timeout = config_.connections.request_timeout},
                clock),
        watch_(std::move(config.files)) {
    shared_.attach_to(server_);
    status_.tell_of(server_, {{"http", http_}, {"resp", resp_}, {"admin", admin_}});
  }

  /// Opens every door, or tells which one cannot be.
  [[nodiscard]] bool open();

  /// Until a signal ends it.
  void run(Signals& signals);

 private:
  bool listen(std::string_view name, const std::vector<std::string>& addresses, front::Door& door);
  void look_after_files();
  void count_keys_if_due();
  void reload();

  const Clock& clock_;
  rules::Config config_;
  const std::string config_file_;
  const rules::Overrides overrides_;
  store::Table table_;
  SharedStores shared_;
  StateKeeper state_;
  limiter::Engine engine_;
  front::LiveHeaderConfig headers_;
  front::LatencyBook latency_;
  ReloadRecord reloads_;
  Status status_;
  front::HttpDoor http_;
  front::resp::RespDoor resp_;
  front::AdminDoor admin_;
  front::Server server_;  // behind the doors: it ends before them
  FileWatch watch_;
  Time count_due_;
};

bool Serving::listen(std::string_view name, const std::vector<std::string>& addresses,
                     front::Door& door) {
  for (const auto& address : addresses) {
    const auto bound = server_.listen(address, door);
    if (!bound) {
      spdlog::error("{}: {}", name, bound.error());
      return false;
    }
    spdlog::info("{} listening on {}", name, bound.value());
  }
  return true;
}

bool Serving::open() {
  const auto& doors = config_.listen;
  if (!doors.grpc.empty()) spdlog::warn("grpc: this version has no such door; it stays closed");
  if (doors.http.empty() && doors.resp.empty() && doors.admin.empty()) {
    spdlog::error("no door is named: give --http or --resp an address, or the file a 'listen'");
    return false;
  }
  return listen("http", doors.http, http_) && listen("resp", doors.resp, resp_) &&
         listen("admin", doors.admin, admin_);
}

void Serving::reload() {
  const auto loaded = load_and_log(config_file_, overrides_);
  watch_.watch(loaded.files);
  if (!loaded.config) {
    reloads_.failed();
    spdlog::error("{} is not taken: the configuration before it stays in force", config_file_);
    return;
  }
  if (loaded.config->stores != config_.stores) {
    reloads_.failed();
    return spdlog::error(
        "{} is not taken: it names other stores than those in use; restart for that", config_file_);
  }
  engine_.replace_rules(loaded.config->rules);
  headers_.set(loaded.config->headers);
  reloads_.succeeded(clock_.now());
  spdlog::info("{} is in force", config_file_);
}

void Serving::look_after_files() {
  switch (watch_.look()) {
    case FileWatch::Seen::nothing: break;
    case FileWatch::Seen::changed: reload(); break;
    case FileWatch::Seen::gone:
      reloads_.failed();
      spdlog::error("{} is gone: its configuration stays in force", config_file_);
      break;
  }
  state_.write_if_due(clock_.now());
}

/// A large table takes long to look at: so that it never takes more than a fiftieth of a core, the
/// time until the next look grows with it.
void Serving::count_keys_if_due() {
  const Time begun = clock_.now();
  if (begun < count_due_) return;
  status_.count_keys();
  const Time done = clock_.now();
  count_due_ = done + std::max<Duration>(std::chrono::seconds{1}, 50 * (done - begun));
}

void Serving::run(Signals& signals) {
  std::jthread loops([this] { server_.run(); });
  spdlog::info("ready");
  for (;;) {
    const auto told = signals.wait(look_every);
    if (told == Signals::Told::stop) break;
    if (told == Signals::Told::reload) {
      config_file_.empty() ? spdlog::warn("nothing to reload: there is no configuration file")
                           : reload();
    } else {
      look_after_files();
      count_keys_if_due();
    }
  }
  spdlog::info("stopping: answers that are under way are finished");
  status_.stopping();
  server_.stop();
  loops.join();
  state_.write(clock_.now());
  spdlog::info("stopped");
}

}  // namespace

int serve(const ServeOptions& options) {
  log_to_stderr(options.format);
  Signals signals;
  auto config = serve_config(options);
  if (!config) return exit_no;
  Serving serving(std::move(*config), options, SteadyClock::shared());
  if (!serving.open()) return exit_no;
  serving.run(signals);
  return exit_done;
}

}  // namespace weir::cli
