// SPDX-License-Identifier: Apache-2.0
// URLs of stores. An error names the part that is wrong and never quotes what may be a password.
#include "redis/options.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "limit/text.hpp"
#include "redis/url_parts.hpp"

namespace weir::redis {

namespace {

using namespace std::chrono_literals;

constexpr unsigned most_databases = 65536;
constexpr std::size_t most_addresses = 64;
constexpr std::size_t longest_prefix = 32;
constexpr std::string_view default_host = "127.0.0.1";
constexpr std::uint16_t redis_port = 6379;
constexpr std::uint16_t sentinel_port = 26379;

using MaybeError = std::optional<Error>;

template <typename... Parts>
Error error(const Parts&... parts) {
  Error made;
  (made.message.append(parts), ...);
  return made;
}

struct Scheme {
  std::string_view name;
  Topology topology = Topology::standalone;
  bool tls = false;
  bool unix_socket = false;
};

constexpr Scheme schemes[] = {
    {"redis"},
    {"rediss", Topology::standalone, true},
    {"unix", Topology::standalone, false, true},
    {"redis+sentinel", Topology::sentinel},
    {"rediss+sentinel", Topology::sentinel, true},
    {"redis+cluster", Topology::cluster},
    {"rediss+cluster", Topology::cluster, true},
};

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size();
}

MaybeError read_login(const UrlParts& parts, Login& login) {
  if (!parts.has_user_info) return {};
  const auto colon = parts.user_info.find(':');
  const auto user = decoded(parts.user_info.substr(0, colon));
  const auto password =
      decoded(colon == parts.user_info.npos ? "" : parts.user_info.substr(colon + 1));
  if (!user || !password) return error("the user or the password: a % is followed by two digits");
  if (!user->empty() && password->empty()) return error("the password of the user is missing");
  login = {*user, *password};
  return {};
}

/// `host`, `host:port`, `[::1]:port`.
MaybeError read_address(std::string_view text, Address& address) {
  std::string_view host = text;
  std::string_view port;
  const auto bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == text.npos) return error("the host: a ] is missing");
  const auto colon = text.find(':', bracket);
  if (colon != text.npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (!read_number(port, address.port) || address.port == 0) {
      return error("the port: a number from 1 to 65535 is wanted");
    }
  }
  if (bracket != 0) {
    if (host.size() != bracket + 1) return error("the host: only :PORT may follow a ]");
    host = host.substr(1, bracket - 1);
  }
  if (host.empty()) return error("the host is missing");
  address.host = host;
  return {};
}

MaybeError read_addresses(std::string_view text, Options& options) {
  const auto port = options.topology == Topology::sentinel ? sentinel_port : redis_port;
  while (true) {
    const auto comma = text.find(',');
    Address address{.host = {}, .port = port};
    if (auto wrong = read_address(text.substr(0, comma), address)) return wrong;
    const bool known = std::ranges::find(options.addresses, address) != options.addresses.end();
    if (!known) options.addresses.push_back(std::move(address));
    if (comma == text.npos) break;
    text.remove_prefix(comma + 1);
  }
  if (options.topology == Topology::standalone && options.addresses.size() > 1) {
    return error("the host: one is wanted; several are for redis+sentinel:// or redis+cluster://");
  }
  if (options.addresses.size() > most_addresses) return error("the hosts: more than 64");
  return {};
}

MaybeError read_database(std::string_view text, Options& options) {
  if (text.empty()) return {};
  if (!read_number(text, options.database) || options.database >= most_databases) {
    return error("the database: a number from 0 to 65535 is wanted");
  }
  if (options.topology == Topology::cluster && options.database != 0) {
    return error("the database: a cluster has only number 0");
  }
  return {};
}

MaybeError read_path(std::string_view path, Options& options) {
  if (!path.empty()) path.remove_prefix(1);
  if (options.topology != Topology::sentinel) return read_database(path, options);
  const auto slash = std::min(path.find('/'), path.size());
  const auto name = decoded(path.substr(0, slash));
  if (!name || name->empty()) return error("the master's name is missing: ...HOST:PORT/NAME");
  options.master_name = *name;
  return read_database(path.substr(std::min(slash + 1, path.size())), options);
}

MaybeError read_place(const UrlParts& parts, const Scheme& scheme, Options& options) {
  options.topology = scheme.topology;
  options.tls.on = scheme.tls;
  if (auto wrong = read_login(parts, options.login)) return wrong;
  if (scheme.unix_socket) {
    auto path = decoded(parts.path);
    if (!parts.authority.empty() || !path || path->size() < 2) {
      return error("the socket's path: unix:///PATH is wanted");
    }
    options.addresses.push_back({std::move(*path), 0});
    return {};
  }
  if (auto wrong =
          read_addresses(parts.authority.empty() ? default_host : parts.authority, options))
    return wrong;
  return read_path(parts.path, options);
}

struct Range {
  Duration least, most;
  std::string_view text;
};

MaybeError read_duration(const std::string& text, Range range, Duration& duration) {
  const auto parsed = parse_duration(text);
  if (!parsed) return error(parsed.error());
  if (*parsed < range.least || *parsed > range.most) {
    return error("'", text, "' is not within ", range.text);
  }
  duration = *parsed;
  return {};
}

struct Setting {
  std::string_view name;
  MaybeError (*read)(Options& options, const std::string& text);
};

using Text = const std::string&;

constexpr Setting settings[] = {
    {"timeout",
     [](Options& o, Text t) {
       return read_duration(t, {1ms, 10s, "1ms and 10s"}, o.timeout);
     }},
    {"connect_timeout",
     [](Options& o, Text t) {
       return read_duration(t, {1ms, 1min, "1ms and 1min"}, o.connect_timeout);
     }},
    {"longest_backoff",
     [](Options& o, Text t) {
       return read_duration(t, {50ms, 1min, "50ms and 1min"}, o.longest_backoff);
     }},
    {"deny_cache",
     [](Options& o, Text t) {
       return t == "0" ? (o.deny_cache = 0s, MaybeError())
                       : read_duration(t, {1ms, 1min, "1ms and 1min"}, o.deny_cache);
     }},
    {"database", [](Options& o, Text t) { return read_database(t, o); }},
    {"ca", [](Options& o, Text t) { return o.tls.ca_file = t, MaybeError(); }},
    {"cert", [](Options& o, Text t) { return o.tls.cert_file = t, MaybeError(); }},
    {"key", [](Options& o, Text t) { return o.tls.key_file = t, MaybeError(); }},
    {"server_name", [](Options& o, Text t) { return o.tls.server_name = t, MaybeError(); }},
    {"sentinel_user", [](Options& o, Text t) { return o.sentinel_login.user = t, MaybeError(); }},
    {"sentinel_password",
     [](Options& o, Text t) { return o.sentinel_login.password = t, MaybeError(); }},
    {"store_time",
     [](Options& o, Text t) {
       o.use_store_time = t == "yes";
       return t == "yes" || t == "no" ? MaybeError() : error("yes or no is wanted");
     }},
    {"prefix",
     [](Options& o, Text t) {
       o.key_prefix = t;
       const bool fits = t.size() <= longest_prefix && t.find_first_of("{}") == t.npos;
       return fits ? MaybeError() : error("up to 32 bytes without { and } are wanted");
     }},
};

std::string names_like(std::string_view word) {
  std::vector<std::string_view> names;
  for (const auto& setting : settings) names.push_back(setting.name);
  return did_you_mean(word, names);
}

MaybeError read_setting(std::string_view text, Options& options) {
  const auto equals = std::min(text.find('='), text.size());
  const auto name = text.substr(0, equals);
  const auto value = decoded(text.substr(std::min(equals + 1, text.size())));
  if (name.find('@') != name.npos) return error("a ? in the user or the password is written %3F");
  const auto setting = std::ranges::find(settings, name, &Setting::name);
  if (setting == std::end(settings)) {
    return error("there is no setting '", name, "'", names_like(name));
  }
  if (!value || value->empty()) return error(name, ": a value is missing");
  if (auto wrong = setting->read(options, *value)) return error(name, ": ", wrong->message);
  return {};
}

/// What goes together only in some ways.
MaybeError check(const Options& options) {
  const Tls& tls = options.tls;
  const bool has_files = !(tls.ca_file + tls.cert_file + tls.key_file + tls.server_name).empty();
  if (has_files && !tls.on) {
    return error("ca, cert, key and server_name are for rediss:// and the like");
  }
  if (tls.cert_file.empty() != tls.key_file.empty()) return error("cert and key go together");
  const Login& login = options.sentinel_login;
  if (!(login.user + login.password).empty() && options.topology != Topology::sentinel) {
    return error("sentinel_user and sentinel_password are for redis+sentinel://");
  }
  return {};
}

}  // namespace

Result<Options> parse_url(std::string_view url) {
  const auto parts = cut_url(url);
  const auto scheme =
      std::ranges::find(schemes, parts ? parts->scheme : std::string_view(), &Scheme::name);
  if (scheme == std::end(schemes)) {
    return error("redis://, rediss://, unix://, redis+sentinel:// or redis+cluster:// is wanted");
  }
  Options options;
  if (auto wrong = read_place(*parts, *scheme, options)) return *wrong;
  for (auto rest = parts->query; !rest.empty();) {
    const auto end = std::min(rest.find('&'), rest.size());
    if (auto wrong = read_setting(rest.substr(0, end), options)) return *wrong;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (auto wrong = check(options)) return *wrong;
  return options;
}

}  // namespace weir::redis
