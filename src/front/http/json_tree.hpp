// SPDX-License-Identifier: Apache-2.0
// A JSON document as a flat list of nodes, in the order of the text:
//
//     {"a": [1, "x"], "b": {}}
//
//     object(7) | key a | array(3) | 1 | "x" | key b | object(1)
//
// A node that holds others says how many nodes it spans, so the next one beside it is found by
// adding. Unlike a map of values this keeps what a checker of outside text must see: repeated keys,
// their order, and whether a number was whole. Text without escapes is a view into the document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weir::front {

struct JsonNode {
  enum class Kind : std::uint8_t {
    null,
    boolean,
    whole,         ///< 0 to 2^64-1, in `number`
    other_number,  ///< negative, with a fraction or an exponent, or beyond 2^64-1
    string,
    array,
    object,
    key,  ///< of the node that follows; only within objects
  } kind = Kind::null;
  std::uint32_t span = 1;    ///< nodes up to the next one beside this
  std::uint64_t number = 0;  ///< of a `boolean`, 1: true
  std::string_view text;     ///< of strings and keys
};

/// How a message names the kind: `a string`, `an object`.
[[nodiscard]] std::string_view name_of(JsonNode::Kind kind) noexcept;

/// Reused from document to document, so that in the long run reading one allocates nothing.
class JsonTree {
 public:
  static constexpr std::size_t most_depth = 16;
  static constexpr std::size_t most_nodes = 100'000;

  JsonTree();
  ~JsonTree();

  /// Reads a document. False where it is not one, or larger than the bounds: `error()` tells why.
  /// Nodes hold until the next call and while `document` stays where it is.
  [[nodiscard]] bool parse(std::string_view document);

  [[nodiscard]] const JsonNode& root() const noexcept { return nodes_.front(); }
  [[nodiscard]] const std::string& error() const noexcept { return error_; }

 private:
  class Handler;
  struct Parser;

  std::unique_ptr<Parser> parser_;
  std::vector<JsonNode> nodes_;
  std::string error_;
};

/// The nodes in an array or an object, one beside the other: `for (const auto& node :
/// children(array))`.
class JsonChildren {
 public:
  explicit JsonChildren(const JsonNode& parent) noexcept : parent_(&parent) {}

  class Iterator {
   public:
    explicit Iterator(const JsonNode* node) noexcept : node_(node) {}
    const JsonNode& operator*() const noexcept { return *node_; }
    Iterator& operator++() noexcept {
      node_ += node_->span;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const JsonNode* node_;
  };

  [[nodiscard]] Iterator begin() const noexcept { return Iterator(parent_ + 1); }
  [[nodiscard]] Iterator end() const noexcept { return Iterator(parent_ + parent_->span); }

 private:
  const JsonNode* parent_;
};

}  // namespace weir::front
