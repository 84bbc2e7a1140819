// SPDX-License-Identifier: Apache-2.0
// What a rule asks of a request: all named conditions must hold, each by any of its values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weir/result.hpp>

#include "rules/path_pattern.hpp"
#include "rules/request_view.hpp"

namespace weir::rules {

/// A host: exact, or `*.example.com` for one or more labels before it.
class HostPattern {
 public:
  [[nodiscard]] static Result<HostPattern> parse(std::string_view text);
  [[nodiscard]] bool matches(std::string_view normal_host) const noexcept;
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// A text in which `*` is any number of characters, also none.
[[nodiscard]] bool wildcard_matches(std::string_view pattern, std::string_view text) noexcept;

struct HeaderCondition {
  std::string name;                 ///< in lower case
  std::vector<std::string> values;  ///< exact, or with `*`
};

/// How far a condition trusts what a client can write in more than one way.
enum class Strictness : std::uint8_t {
  loose,   ///< for rules that limit: any spelling of the path, any line of a header will do
  strict,  ///< for rules that exempt: the path as in normal form, every line of a header must do
};

/// The part of a condition that a request fails.
enum class Failing : std::uint8_t { nothing, method, path, host, header, cidr };

struct Condition {
  std::vector<std::string> methods;
  std::vector<PathPattern> paths;
  std::vector<HostPattern> hosts;
  std::vector<HeaderCondition> headers;
  std::vector<Network> networks;

  /// It asks nothing.
  [[nodiscard]] bool empty() const noexcept {
    return methods.empty() && paths.empty() && hosts.empty() && headers.empty() && networks.empty();
  }

  [[nodiscard]] Failing first_failing(RequestView& view, Strictness strictness) const;

  /// The same for a request whose path is known to match.
  [[nodiscard]] Failing first_failing_beside_path(RequestView& view, Strictness strictness) const;

  /// The first path pattern that matches; null where none does.
  [[nodiscard]] const PathPattern* matching_path(RequestView& view) const;
};

}  // namespace weir::rules
