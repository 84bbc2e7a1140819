// SPDX-License-Identifier: Apache-2.0
// What requests are counted by: one part or several, each with alternatives.
//
//     header:x-api-key | ip        one part, two sources: the first that is present and not empty
//     [ip, path]                   two parts, both make the key
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <weir/result.hpp>

#include "base/key.hpp"
#include "rules/path_pattern.hpp"
#include "rules/request_view.hpp"

namespace weir::rules {

/// Where a value comes from. The numbers go into keys: they stay what they are.
enum class SourceKind : std::uint8_t {
  ip = 1,
  header = 2,
  cookie = 3,
  query = 4,
  host = 5,
  path = 6,
  method = 7,
  route = 8,
  entry = 9,
  bearer = 10,
  constant = 11,
};

struct KeySource {
  SourceKind kind = SourceKind::constant;
  bool lower = false;  ///< `lower(...)`: in lower case, without blanks around it
  bool known = false;  ///< `known(...)`: only a value that the plans' map lists
  std::string name;    ///< of the header, cookie, ...; the text of a constant
  std::string text;    ///< as written

  /// Every request has it.
  [[nodiscard]] bool always_there() const noexcept;
};

/// The values that the plans' map lists, each with its plan.
struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};
using PlanOfValue = std::unordered_map<std::string, std::uint32_t, StringHash, std::equal_to<>>;

/// What values are taken from: a request, and what the rules know about it.
struct KeyContext {
  RequestView& view;
  const PathPattern* route;  ///< the rule's path pattern that matched; null where it has none
  const PlanOfValue* known_values;  ///< null where the plans have no map
};

/// The value of a source; nothing where it is absent or empty. Lives until the next call.
[[nodiscard]] std::optional<std::string_view> value_of(const KeySource& source,
                                                       const KeyContext& context);

/// A part of a key.
struct KeyPart {
  static constexpr std::size_t most_sources = 8;
  std::vector<KeySource> sources;

  [[nodiscard]] static Result<KeyPart> parse(std::string_view text);

  [[nodiscard]] bool always_there() const noexcept;
  [[nodiscard]] std::string to_string() const;
};

/// Adds the part's first present value to the key, behind its kind and name. False where all are
/// missing.
[[nodiscard]] bool add_to_key(const KeyPart& part, const KeyContext& context, KeyBuilder& key);

}  // namespace weir::rules
