// SPDX-License-Identifier: Apache-2.0
// The body of POST /v1/check: read and checked as a whole before anything of it is asked, so that a
// call with one malformed item charges nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weir/limit.hpp>

#include "front/http/json_tree.hpp"
#include "front/http/rate_cache.hpp"
#include "limiter/engine.hpp"

namespace weir::front {

/// One thing asked: a limit and a key, or a request.
struct CheckAsk {
  const rules::RuleLimit* named = nullptr;  ///< a limit of the configuration, or
  std::optional<Limit> rate;                ///< a limit that came along, or
  std::optional<rules::Request> request;    ///< what the rules match
  std::span<const std::string_view> key;    ///< of a limit
  std::uint64_t cost = 1;                   ///< of a limit
};

/// One item of `requests`, that gets one result.
struct CheckItem {
  std::span<const CheckAsk> asks;  ///< one, or several that are all or nothing
  bool all = false;
  Verb verb = Verb::acquire;

  /// Whether the result lists every limit met: there may be several.
  [[nodiscard]] bool tells_hits() const noexcept { return all || asks.front().request; }
};

/// Reads bodies, one after the other: in the long run without allocating.
class CheckReader {
 public:
  static constexpr std::size_t most_asks = 1000;  ///< in one call, those within `all` included
  static constexpr std::size_t most_key_parts = 16;
  static constexpr std::size_t most_headers = 128;
  static constexpr std::size_t most_entries = 64;

  /// Reads and checks `body`; limits have the names that `rules` gives them. False where anything
  /// is wrong: `error()` tells where, what, and what would be right (`requests[2].cost: must be
  /// ...`).
  [[nodiscard]] bool read(std::string_view body, const rules::RuleSet& rules);

  /// What was read. Holds until the next `read` and while the body stays where it is.
  [[nodiscard]] std::span<const CheckItem> items() const noexcept { return items_; }
  [[nodiscard]] const std::string& error() const noexcept { return error_; }

 private:
  struct ItemFields;

  /// Where in the body it is being read, for messages.
  struct Place {
    std::optional<std::size_t> item;
    std::optional<std::size_t> in_all;
    bool in_request = false;
  };

  bool fail(std::string_view field, std::string_view text);
  bool fail_kind(std::string_view field, std::string_view wanted, const JsonNode& node);

  bool read_item(const JsonNode& node);
  bool read_all(const ItemFields& fields);
  bool read_member(const JsonNode& node);
  bool read_ask(const ItemFields& fields);
  bool read_limit(const ItemFields& fields, CheckAsk& ask);
  bool read_named(const JsonNode& node, CheckAsk& ask);
  bool read_rate(const JsonNode& node, CheckAsk& ask);
  bool read_key(const JsonNode& node, CheckAsk& ask);
  bool read_verb(const JsonNode* node, Verb& verb);
  bool read_cost(const JsonNode& node, std::uint64_t& cost);
  bool read_text(std::string_view field, const JsonNode* node, std::string_view& text);
  bool read_request(const JsonNode& node, const JsonNode* outer_cost, CheckAsk& ask);
  bool read_request_cost(const JsonNode* outer, const JsonNode* inner, rules::Request& request);
  bool read_address(std::string_view field, const JsonNode* node,
                    std::optional<rules::Address>& address);
  bool read_headers(const JsonNode& node, rules::Request& request);
  bool add_header(std::string_view name, const JsonNode& value);
  bool read_entries(const JsonNode& node, rules::Request& request);

  JsonTree json_;
  RateCache rates_;
  const rules::RuleSet* rules_ = nullptr;
  Place place_;
  std::string error_;

  // What the items' spans show. None of these grows beyond what is reserved at the beginning.
  std::vector<CheckItem> items_;
  std::vector<CheckAsk> asks_;
  std::vector<std::string_view> key_parts_;
  std::vector<rules::Header> headers_;
  std::vector<rules::Entry> entries_;
};

/// Adds each item to `batch`, as one ask with consecutive indexes; returns the first.
limiter::Batch::Index add_to(limiter::Batch& batch, std::span<const CheckItem> items);

}  // namespace weir::front
