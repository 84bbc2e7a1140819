// SPDX-License-Identifier: Apache-2.0
// Reads the lines that `weir simulate` decides: one JSON object a line. Fields that are not named
// here are passed over, so a file may hold the expected answers beside the questions.
//
//     {"algorithm": "token_bucket", "limit": 10, "period_ns": 1000000000, "burst": 50}
//     {"t": 1750000000000000000, "key": "k0", "cost": 1}
//
//     {"t": 1750000000000000000, "method": "GET", "path": "/v1/x", "ip": "198.18.0.1"}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>
#include <weir/limit.hpp>
#include <weir/result.hpp>

#include "limit/step.hpp"
#include "rules/request.hpp"

namespace weir::cli {

/// A scenario's limit.
struct ScenarioLimit {
  Limit limit;
  std::string name;  ///< empty where it has none
};

/// What is asked of a scenario's limit.
struct LimitEvent {
  Time time;
  std::string_view key;
  std::uint64_t cost = 1;
  Verb verb = Verb::acquire;
};

/// A whole request, asked of a configuration.
struct RequestEvent {
  Time time;
  rules::Request request;
  Verb verb = Verb::acquire;
};

/// What is read views into the reader, until it reads the next line. Errors say which field is
/// wrong and what would be right.
class ScenarioReader {
 public:
  /// `algorithm` (default `token_bucket`), `limit`, `period_ns`, `burst`, `name`.
  [[nodiscard]] Result<ScenarioLimit> read_limit(std::string_view line);

  /// `t`, `key`, `cost`, and `verb` or `force` (a debit).
  [[nodiscard]] Result<LimitEvent> read_event(std::string_view line);

  /// `t`, `method`, `path`, `host`, `headers`, `entries`, `peer` or `ip`, `verb`, `cost`.
  [[nodiscard]] Result<RequestEvent> read_request(std::string_view line);

 private:
  boost::json::parser parser_;
  boost::json::value document_;
  std::vector<rules::Header> headers_;
  std::vector<rules::Entry> entries_;
};

}  // namespace weir::cli
