// SPDX-License-Identifier: Apache-2.0
// `clients:` and the conditions of `match`: what weir.yaml says about where requests come from and
// which ones are meant.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "rules/config_reading.hpp"
#include "rules/text.hpp"

namespace weir::rules {

namespace {

std::optional<Network> read_network(Reader& reader, const Value& value, std::string_view text) {
  const auto network = Network::parse(text);
  if (!network) {
    reader.error(
        value, fmt::format("'{}': is no address and no network such as 10.0.0.0/8 or 2001:db8::/32",
                           shown(text)));
    return {};
  }
  if (network->canonical().address != network->address) {
    reader.warning(value,
                   fmt::format("'{}': is read as {}", text, network->canonical().to_string()));
  }
  return network;
}

void read_trusted(Reader& reader, const Value& value, ClientTrust& trust) {
  for (const auto& item :
       reader.items(value, most_values_of_condition, Reader::EmptyList::allowed)) {
    const auto text = reader.text(item, "an address, a network or 'unix'");
    if (!text) continue;
    if (*text == "unix") {
      trust.unix_peers = true;
    } else if (const auto network = read_network(reader, item, *text)) {
      if (network->prefix_bits == 0) {
        reader.warning(
            item,
            fmt::format("'{}': trusts everybody, so that clients choose their own address", *text));
      }
      trust.proxies.push_back(*network);
    }
  }
}

std::optional<std::string> read_method(Reader& reader, const Value& value) {
  const auto text = reader.text(value, "a method such as GET");
  if (!text) return {};
  if (!is_token(*text)) {
    reader.error(value, fmt::format("'{}': is no method such as GET", shown(*text)));
  } else if (std::any_of(text->begin(), text->end(), is_lower)) {
    std::string upper(*text);
    std::transform(upper.begin(), upper.end(), upper.begin(), to_upper);
    reader.error(
        value, fmt::format("'{}': methods are compared exactly; did you mean '{}'?", *text, upper));
  }
  return std::string(*text);
}

/// Reads the values of a condition, one or a list, by `parse`: Result<T>(text).
template <typename T, typename Parse>
std::vector<T> read_patterns(Reader& reader, const Value& value, std::string_view wanted,
                             Parse parse) {
  std::vector<T> result;
  for (const auto& item : reader.items(value, most_values_of_condition)) {
    const auto text = reader.text(item, wanted);
    if (!text) continue;
    if (auto parsed = parse(*text)) {
      result.push_back(std::move(*parsed));
    } else {
      reader.error(item, printable(parsed.error()));
    }
  }
  return result;
}

void read_header_conditions(Reader& reader, const Value& value, Condition& condition) {
  const auto entries = reader.entries(value, "a mapping from names to values");
  if (value.is_map() && entries.empty()) reader.error(value, "names no header");
  for (const auto& [name, wanted] : entries) {
    HeaderCondition header{lower_case(name), {}};
    if (!is_token(name)) reader.error(wanted, "is no name of a header");
    for (const auto& each : condition.headers) {
      if (each.name == header.name) {
        reader.error(wanted, "stands here twice: names of headers have no case");
      }
    }
    for (const auto& item : reader.items(wanted, most_values_of_condition)) {
      const auto text = reader.text(item, "a value ('*' in it is any text)");
      if (text) header.values.emplace_back(trimmed(*text));
    }
    condition.headers.push_back(std::move(header));
  }
}

}  // namespace

ClientTrust read_clients(Reader& reader, const Value& value) {
  ClientTrust trust;
  const Section section(reader, value, {"trusted_proxies", "ipv6_prefix", "header"});
  if (const auto* trusted = section.find("trusted_proxies")) read_trusted(reader, *trusted, trust);
  if (const auto* prefix = section.find("ipv6_prefix")) {
    trust.ipv6_prefix =
        static_cast<unsigned>(reader.number(*prefix, {16, 128}).value_or(trust.ipv6_prefix));
  }
  if (const auto* header = section.find("header")) {
    const auto name = reader.text(*header, "the name of a header");
    if (name && !is_token(*name)) {
      reader.error(*header, fmt::format("'{}': is no name of a header", shown(*name)));
    }
    if (name) trust.header = lower_case(*name);
    if (trust.proxies.empty() && !trust.unix_peers) {
      reader.warning(*header, "is never read: 'trusted_proxies' names nobody who is believed");
    }
  }
  return trust;
}

Condition read_condition(Reader& reader, const Section& section) {
  Condition condition;
  if (const auto* methods = section.find("method")) {
    for (const auto& item : reader.items(*methods, most_values_of_condition)) {
      if (auto method = read_method(reader, item)) condition.methods.push_back(std::move(*method));
    }
  }
  if (const auto* paths = section.find("path")) {
    condition.paths =
        read_patterns<PathPattern>(reader, *paths, "a path such as /v1/**", PathPattern::parse);
  }
  if (const auto* hosts = section.find("host")) {
    condition.hosts = read_patterns<HostPattern>(reader, *hosts, "a host such as example.com",
                                                 HostPattern::parse);
  }
  if (const auto* headers = section.find("header")) {
    read_header_conditions(reader, *headers, condition);
  }
  if (const auto* networks = section.find("cidr")) {
    for (const auto& item : reader.items(*networks, most_values_of_condition)) {
      const auto text = reader.text(item, "an address or a network");
      const auto network = text ? read_network(reader, item, *text) : std::nullopt;
      if (network) condition.networks.push_back(*network);
    }
  }
  return condition;
}

}  // namespace weir::rules
