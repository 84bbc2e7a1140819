// SPDX-License-Identifier: Apache-2.0
// A configuration file, read and checked: everything that weir.yaml can say, as values.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <weir/clock.hpp>
#include <weir/keyed_limiter.hpp>

#include "rules/rule_set.hpp"

namespace weir::rules {

/// Where a problem stands and what would mend it. Rendered as `FILE:LINE:COLUMN: FIELD: TEXT`.
struct Problem {
  std::string file;
  int line = 0;       ///< from 1; 0 where the problem has no place
  int column = 0;     ///< from 1
  std::string field;  ///< `rules[2].limits[0].rate`
  std::string text;
  bool warning = false;

  [[nodiscard]] std::string to_string() const;
};

struct ListenConfig {
  std::vector<std::string> http, resp, grpc, admin;  ///< `host:port`, `:port` or `unix:PATH`
};

/// `headers:` what refusals tell.
struct HeaderConfig {
  bool reset_as_epoch = false;  ///< X-RateLimit-Reset: seconds from now, or since the epoch
  Duration retry_jitter{};      ///< up to so much is added to Retry-After, at random
};

/// `connections:` bounds on what peers may hold.
struct ConnectionConfig {
  std::size_t most = 10'000;                         ///< open at once, all doors together
  Duration idle_timeout = std::chrono::seconds{75};  ///< between requests
  Duration request_timeout =
      std::chrono::seconds{10};  ///< for a request to arrive or an answer to leave
};

/// A store that instances share.
struct StoreConfig {
  std::string url;
  std::string secret{};                  ///< keys are hashed with it; the same for all instances
  std::uint64_t instances = 0;           ///< that share each limit; 0: not told
  std::optional<Duration> timeout{};     ///< for a decision; else the URL's or the client's own
  std::optional<Duration> deny_cache{};  ///< how long a refusal is known without asking
  std::size_t fallback_bytes = std::size_t{16} << 20;  ///< for `local` while it is out of reach

  // Where it stands in the file, for problems with the URL.
  std::string field{};
  int line = 0;
  int column = 0;

  /// The same store with the same settings, wherever it stands.
  friend bool operator==(const StoreConfig& left, const StoreConfig& right) noexcept {
    const auto settings = [](const StoreConfig& store) {
      return std::tie(store.url, store.secret, store.instances, store.timeout, store.deny_cache,
                      store.fallback_bytes);
    };
    return settings(left) == settings(right);
  }
};

struct Config {
  ListenConfig listen;
  unsigned loops = 0;  ///< event loops; 0: one for each core
  HeaderConfig headers;
  ConnectionConfig connections;
  std::vector<StoreConfig> stores;  ///< shared ones; limits name them by their place
  std::size_t memory_bytes = std::size_t{256} << 20;
  WhenFull when_full = WhenFull::evict;
  std::string state_file;  ///< empty: no state is kept
  Duration state_every = std::chrono::seconds{10};
  std::string resp_password;  ///< empty: none is asked for

  std::shared_ptr<const RuleSet> rules;
};

struct LoadedConfig {
  std::optional<Config> config;    ///< absent where any problem is an error
  std::vector<Problem> problems;   ///< errors and warnings in the order of the file
  std::vector<std::string> files;  ///< what was read, also where it was wrong
};

/// What the command line says over the file.
struct Overrides {
  std::optional<std::string> store_url;  ///< `memory` or a URL
  /// For limits that no rule has, and for rules that do not say it themselves.
  std::optional<OnStoreFailure> on_store_failure;
};

/// Reads and checks a configuration text. `file` is the name that problems are told with; relative
/// paths in it (plans' files) are taken from its folder.
[[nodiscard]] LoadedConfig parse_config(std::string_view text, const std::string& file,
                                        const Overrides& overrides = {});

/// Reads a file of at most 4 MiB.
[[nodiscard]] LoadedConfig load_config(const std::string& path, const Overrides& overrides = {});

}  // namespace weir::rules
