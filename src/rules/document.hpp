// SPDX-License-Identifier: Apache-2.0
// A YAML text as a tree in which every node knows its place. An alias is the node that it names.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/problems.hpp"

namespace weir::rules {

struct Node {
  enum class Kind : std::uint8_t { null, scalar, list, map };
  Kind kind = Kind::null;
  int line = 0;                    ///< from 1
  int column = 0;                  ///< from 1
  std::string text;                ///< of a scalar
  std::vector<const Node*> items;  ///< of a list
  std::vector<std::pair<const Node*, const Node*>>
      entries;             ///< of a map: as written, also twice the same key
  std::size_t weight = 1;  ///< nodes in it, those behind aliases counted each time
};

/// Owns the nodes of one text.
class Document {
 public:
  static constexpr std::size_t most_bytes = std::size_t{4} << 20;
  static constexpr std::size_t most_depth = 32;
  static constexpr std::size_t most_nodes = 500'000;  ///< aliases followed

  /// Reads a text that holds one document. Where it is no YAML, too large, too deep, or blown up
  /// by aliases, the problems say so and there is nothing.
  [[nodiscard]] static std::optional<Document> parse(std::string_view text, Problems& problems);

  [[nodiscard]] const Node& root() const noexcept { return *root_; }

 private:
  std::deque<Node> nodes_;
  const Node* root_ = nullptr;
};

}  // namespace weir::rules
