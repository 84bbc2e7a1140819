// SPDX-License-Identifier: Apache-2.0
// What weir.yaml says about the process: doors, memory, connections.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "limit/text.hpp"
#include "rules/config_reading.hpp"
#include "rules/text.hpp"

namespace weir::rules {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t tib = kib * kib * kib * kib;
constexpr std::size_t most_addresses = 16;

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port <= 65535;
}

bool is_host_name(std::string_view text) {
  const auto fits = [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_';
  };
  return std::all_of(text.begin(), text.end(), fits);
}

/// What is wrong with an address to listen at; empty where nothing is.
std::string fault_of_address(std::string_view text) {
  if (text.starts_with("unix:")) {
    constexpr std::size_t longest_path = 107;  // what the kernel's address structure holds
    const auto path = text.substr(5);
    if (path.empty() || path.size() > longest_path || path.find('\0') != path.npos) {
      return fmt::format("the path of a unix socket has 1 to {} bytes", longest_path);
    }
    return {};
  }
  if (is_port(text)) return fmt::format("a port alone; did you mean ':{}'?", text);
  const auto colon = text.rfind(':');
  if (colon == text.npos) return "a port is missing: HOST:PORT, :PORT or unix:PATH is wanted";
  if (!is_port(text.substr(colon + 1))) return "the port is no number from 0 to 65535";
  const auto host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    return Address::parse(host) ? "" : "what stands in the brackets is no IPv6 address";
  }
  if (Address::parse(host) && host.find(':') != host.npos) {
    return fmt::format("an IPv6 address stands in brackets; did you mean '[{}]{}'?", host,
                       text.substr(colon));
  }
  return is_host_name(host) ? "" : "HOST:PORT, :PORT or unix:PATH is wanted";
}

void read_listen(Reader& reader, const Value& value, ListenConfig& listen) {
  const Section section(reader, value, {"http", "resp", "grpc", "admin"});
  struct Door {
    std::string_view name;
    std::vector<std::string>& addresses;
  };
  const std::array doors{Door{"http", listen.http}, Door{"resp", listen.resp},
                         Door{"grpc", listen.grpc}, Door{"admin", listen.admin}};
  std::map<std::string, std::string, std::less<>> taken;
  for (const auto& door : doors) {
    const auto* addresses = section.find(door.name);
    if (addresses == nullptr) continue;
    for (const auto& item : reader.items(*addresses, most_addresses, Reader::EmptyList::allowed)) {
      const auto address = reader.text(item, "HOST:PORT, :PORT or unix:PATH");
      if (!address) continue;
      if (const auto fault = fault_of_address(*address); !fault.empty()) {
        reader.error(item, fmt::format("'{}': {}", shown(*address), fault));
      } else if (const auto [other, is_new] =
                     taken.try_emplace(std::string(*address), item.place.field);
                 !is_new && !address->ends_with(":0")) {
        reader.error(item, fmt::format("'{}' is taken by {}", *address, other->second));
      }
      door.addresses.emplace_back(*address);
    }
  }
}

void read_headers(Reader& reader, const Value& value, HeaderConfig& headers) {
  const Section section(reader, value, {"reset", "retry_jitter"});
  static constexpr std::array<std::string_view, 2> forms{"delta", "epoch"};
  if (const auto* reset = section.find("reset")) {
    if (const auto form = reader.choice(*reset, forms)) headers.reset_as_epoch = *form == 1;
  }
  if (const auto* jitter = section.find("retry_jitter")) {
    headers.retry_jitter = reader.duration(*jitter, {0s, 1h}).value_or(0s);
  }
}

void read_connections(Reader& reader, const Value& value, ConnectionConfig& connections) {
  const Section section(reader, value, {"max", "idle_timeout", "request_timeout"});
  if (const auto* most = section.find("max")) {
    connections.most = reader.number(*most, {1, 10'000'000}).value_or(connections.most);
  }
  constexpr Reader::DurationRange times{1ms, 24h};
  if (const auto* timeout = section.find("idle_timeout")) {
    connections.idle_timeout = reader.duration(*timeout, times).value_or(connections.idle_timeout);
  }
  if (const auto* timeout = section.find("request_timeout")) {
    connections.request_timeout =
        reader.duration(*timeout, times).value_or(connections.request_timeout);
  }
}

void read_memory(Reader& reader, const Value& value, Config& config) {
  constexpr Reader::Range sizes{64 * kib, tib};
  if (!value.is_map()) {
    config.memory_bytes = reader.bytes(value, sizes).value_or(config.memory_bytes);
    return;
  }
  const Section section(reader, value, {"size", "when_full"});
  if (const auto* size = section.find("size")) {
    config.memory_bytes = reader.bytes(*size, sizes).value_or(config.memory_bytes);
  }
  static constexpr std::array<std::string_view, 3> names{"evict", "share", "deny"};
  if (const auto* when_full = section.find("when_full")) {
    constexpr std::array meanings{WhenFull::evict, WhenFull::share, WhenFull::deny};
    if (const auto index = reader.choice(*when_full, names)) config.when_full = meanings[*index];
  }
}

void read_state(Reader& reader, const Value& value, Config& config) {
  const Section section(reader, value, {"file", "every"});
  if (const auto* file = section.find("file")) {
    config.state_file = reader.text(*file, "the name of a file").value_or("");
  } else if (value.is_map()) {
    reader.error(value, "'file' is missing: the name of the file that keeps the counters");
  }
  if (const auto* every = section.find("every")) {
    config.state_every = reader.duration(*every, {100ms, 24h}).value_or(config.state_every);
  }
}

void read_resp(Reader& reader, const Value& value, Config& config) {
  const Section section(reader, value, {"password"});
  if (const auto* password = section.find("password")) {
    config.resp_password = reader.text(*password, "a password").value_or("");
  }
}

}  // namespace

void read_server(Reader& reader, const Section& root, Config& config) {
  if (const auto* value = root.find("listen")) read_listen(reader, *value, config.listen);
  if (const auto* value = root.find("loops")) {
    config.loops = static_cast<unsigned>(reader.number(*value, {1, 1024}).value_or(0));
  }
  if (const auto* value = root.find("headers")) read_headers(reader, *value, config.headers);
  if (const auto* value = root.find("connections")) {
    read_connections(reader, *value, config.connections);
  }
  if (const auto* value = root.find("memory")) read_memory(reader, *value, config);
  if (const auto* value = root.find("state")) read_state(reader, *value, config);
  if (const auto* value = root.find("resp")) read_resp(reader, *value, config);
}

}  // namespace weir::rules
