// SPDX-License-Identifier: Apache-2.0
// For tests: requests that own their texts, and rules out of a configuration's text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/config.hpp"

namespace weir::rules {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct TestRequest {
  std::string method = "GET";
  std::string target = "/";
  std::string host = "example.com";
  Pairs headers;
  Pairs entries;
  std::string client;  ///< empty: none
  std::string peer;    ///< empty: none
  std::optional<std::uint64_t> cost;

  /// Calls `use` with the request as views.
  template <typename Use>
  auto with(Use use) const {
    std::vector<Header> header_views;
    std::vector<Entry> entry_views;
    for (const auto& [name, value] : headers) header_views.push_back({name, value});
    for (const auto& [name, value] : entries) entry_views.push_back({name, value});
    Request request;
    request.method = method;
    request.host = host;
    request.target = target;
    request.headers = header_views;
    request.entries = entry_views;
    request.client = Address::parse(client);
    request.peer = Address::parse(peer);
    request.cost = cost;
    return use(request);
  }
};

/// The rules of a configuration that must load.
inline std::shared_ptr<const RuleSet> rules_of(std::string_view yaml) {
  const auto loaded = parse_config(yaml, "test.yaml");
  for (const auto& problem : loaded.problems) {
    if (!problem.warning) ADD_FAILURE() << problem.to_string();
  }
  return loaded.config.value().rules;
}

/// What a request meets, as text: `exempt RULE`, `forbidden RULE`, or each hit as
/// `RULE/LIMIT*COST` with `#PART` for shadows.
inline std::string met(const RuleSet& rules, const TestRequest& request) {
  return request.with([&rules](const Request& views) {
    Match match;
    rules.match(views, KeySecret{1, 2}, match);
    std::string text;
    if (match.verdict == Match::Verdict::exempt) text = "exempt " + *match.rule;
    if (match.verdict == Match::Verdict::forbidden) text = "forbidden " + *match.rule;
    for (const auto& hit : match.hits) {
      text += (text.empty() ? "" : " ") + hit.limit->rule + "/" + hit.limit->name;
      if (hit.cost != 1) text += "*" + std::to_string(hit.cost);
      if (hit.part != 0) text += "#" + std::to_string(hit.part);
    }
    return text;
  });
}

/// The key of the first rule that applies.
inline std::optional<Key> key_of(const RuleSet& rules, const TestRequest& request) {
  return request.with([&rules](const Request& views) -> std::optional<Key> {
    Match match;
    rules.match(views, KeySecret{1, 2}, match);
    if (match.keys.empty()) return {};
    return match.keys.front();
  });
}

}  // namespace weir::rules
