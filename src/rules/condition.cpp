// SPDX-License-Identifier: Apache-2.0
#include "rules/condition.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rules/text.hpp"

namespace weir::rules {

namespace {

bool header_holds(const HeaderCondition& condition, RequestView& view, Strictness strictness) {
  const auto matches = [&condition](std::string_view value) {
    return std::any_of(
        condition.values.begin(), condition.values.end(),
        [&](const std::string& pattern) { return wildcard_matches(pattern, value); });
  };
  bool found = false;
  for (const auto& header : view.request().headers) {
    if (!equals_ignoring_case(header.name, condition.name)) continue;
    const bool holds = matches(trimmed(header.value));
    if (strictness == Strictness::loose && holds) return true;
    if (strictness == Strictness::strict && !holds) return false;
    found = true;
  }
  return found && strictness == Strictness::strict;
}

}  // namespace

Result<HostPattern> HostPattern::parse(std::string_view text) {
  const auto error = [text](std::string_view why) {
    return Error{fmt::format("'{}': {}", text, why)};
  };
  HostPattern pattern;
  pattern.text_ = lower_case(text);
  const bool wild = text.starts_with("*.");
  const auto name = std::string_view(pattern.text_).substr(wild ? 2 : 0);
  if (name.find('*') != name.npos) {
    return error("'*' stands only at the beginning, for one or more labels: '*.example.com'");
  }
  std::string normal;
  append_normal_host(name, normal);
  if (normal.empty() || name.find_first_of(" \t/@") != name.npos ||
      normal.find("..") != normal.npos) {
    return error("is no host, such as example.com or *.example.com");
  }
  if (normal != name) {
    return error(fmt::format(
        "can never match: hosts are matched without port and last dot; did you mean '{}{}'?",
        wild ? "*." : "", normal));
  }
  return pattern;
}

bool HostPattern::matches(std::string_view normal_host) const noexcept {
  if (!text_.starts_with('*')) return normal_host == text_;
  const auto suffix = std::string_view(text_).substr(1);
  return normal_host.size() > suffix.size() && normal_host.ends_with(suffix);
}

bool wildcard_matches(std::string_view pattern, std::string_view text) noexcept {
  std::size_t at = 0, in_pattern = 0;
  std::size_t retry_at = 0, retry_pattern = pattern.npos;
  while (at < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      retry_pattern = ++in_pattern;
      retry_at = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == text[at]) {
      ++at;
      ++in_pattern;
    } else if (retry_pattern != pattern.npos) {
      at = ++retry_at;
      in_pattern = retry_pattern;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == pattern.npos;
}

const PathPattern* Condition::matching_path(RequestView& view) const {
  const auto& segments = view.path().segments();
  for (const auto& pattern : paths) {
    if (pattern.matches(segments)) return &pattern;
  }
  return nullptr;
}

Failing Condition::first_failing(RequestView& view, Strictness strictness) const {
  if (!paths.empty() && matching_path(view) == nullptr) return Failing::path;
  return first_failing_beside_path(view, strictness);
}

Failing Condition::first_failing_beside_path(RequestView& view, Strictness strictness) const {
  if (!methods.empty() &&
      std::find(methods.begin(), methods.end(), view.method()) == methods.end()) {
    return Failing::method;
  }
  if (!paths.empty() && strictness == Strictness::strict && !view.path().written_so()) {
    return Failing::path;
  }
  if (!hosts.empty()) {
    const auto host = view.host();
    const auto matches = [host](const HostPattern& pattern) { return pattern.matches(host); };
    if (std::none_of(hosts.begin(), hosts.end(), matches)) return Failing::host;
  }
  for (const auto& header : headers) {
    if (!header_holds(header, view, strictness)) return Failing::header;
  }
  if (!networks.empty()) {
    const auto& client = view.client();
    const auto contains = [&client](const Network& network) { return network.contains(*client); };
    if (!client || std::none_of(networks.begin(), networks.end(), contains)) return Failing::cidr;
  }
  return Failing::nothing;
}

}  // namespace weir::rules
