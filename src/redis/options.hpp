// SPDX-License-Identifier: Apache-2.0
// Where a shared store is, how it is reached, and what has happened on the way.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <weir/clock.hpp>
#include <weir/result.hpp>

namespace weir::redis {

struct Address {
  std::string host;  ///< a name or an address; the path of a unix socket where `port` is 0
  std::uint16_t port = 6379;
  friend bool operator==(const Address&, const Address&) = default;
};

struct Login {
  std::string user;      ///< empty: the default user
  std::string password;  ///< empty: none is told
};

struct Tls {
  bool on = false;
  std::string ca_file;    ///< empty: the system's
  std::string cert_file;  ///< of this client; empty: none
  std::string key_file;
  std::string server_name;  ///< empty: the host's name
};

enum class Topology : std::uint8_t { standalone, sentinel, cluster };

struct Options {
  Topology topology = Topology::standalone;
  std::vector<Address> addresses;  ///< the server; the sentinels; or the seeds of a cluster
  std::string master_name;         ///< as the sentinels know it
  Login login;
  Login sentinel_login;
  unsigned database = 0;
  Tls tls;

  Duration timeout = std::chrono::milliseconds{50};           ///< for a decision
  Duration connect_timeout = std::chrono::milliseconds{250};  ///< with TLS four times as long
  Duration longest_backoff = std::chrono::milliseconds{500};  ///< between attempts to connect
  std::size_t most_waiting = 4096;  ///< commands of a connection that are not answered yet
  Duration deny_cache = std::chrono::seconds{1};  ///< how long a refusal is known; 0: not at all
  bool use_store_time = true;  ///< decide at the store's time, not at this machine's
  std::string key_prefix = "w:";
  Duration key_grace = std::chrono::seconds{1};  ///< keys live so much longer than their states
  std::vector<std::string_view> scripts;  ///< sources that each node is given; they outlive it

  /// How long a connection may take, and as long again its handshake.
  [[nodiscard]] Duration connect_limit() const noexcept {
    return tls.on ? 4 * connect_timeout : connect_timeout;
  }
};

/// Reads `redis://[user[:password]@]host[:port][/database]`, `rediss://...` (TLS), `unix://PATH`,
/// `redis+sentinel://...@host:port,host:port/NAME[/database]`, `redis+cluster://...@host:port,...`
/// with their settings (`?timeout=50ms&ca=FILE`). An error names the part that is wrong.
[[nodiscard]] Result<Options> parse_url(std::string_view url);

/// The URL without its passwords: for logs and metrics.
[[nodiscard]] std::string without_passwords(std::string_view url);

/// Counted by the clients of all loops.
struct ClientStats {
  std::atomic<std::uint64_t> sent{0};           ///< commands
  std::atomic<std::uint64_t> replied{0};        ///< commands
  std::atomic<std::uint64_t> timed_out{0};      ///< exchanges, written or not
  std::atomic<std::uint64_t> unavailable{0};    ///< exchanges that have changed nothing
  std::atomic<std::uint64_t> error_replies{0};  ///< of any kind
  std::atomic<std::uint64_t> connects{0};
  std::atomic<std::uint64_t> connects_failed{0};
  std::atomic<std::uint64_t> redirections{0};
  std::atomic<std::uint64_t> scripts_reloaded{0};
  std::atomic<std::uint64_t> open_connections{0};

  /// Told once for each change, by the loop where it happens: `127.0.0.1:6379: connected`.
  std::function<void(const std::string& text, bool is_trouble)> on_change;
};

}  // namespace weir::redis
