// SPDX-License-Identifier: Apache-2.0
#include "front/http/json_tree.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <functional>

namespace weir::front {

namespace {

namespace json = boost::json;
using Kind = JsonNode::Kind;
using View = json::string_view;

std::string_view to_std(View text) noexcept { return {text.data(), text.size()}; }

}  // namespace

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::null: return "null";
    case Kind::boolean: return "a boolean";
    case Kind::whole:
    case Kind::other_number: return "a number";
    case Kind::string:
    case Kind::key: return "a string";
    case Kind::array: return "an array";
    case Kind::object: return "an object";
  }
  return "";
}

/// Writes the nodes as Boost.JSON's parser comes to them.
class JsonTree::Handler {
 public:
  static constexpr std::size_t max_array_size = most_nodes;
  static constexpr std::size_t max_object_size = most_nodes;
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

  explicit Handler(std::vector<JsonNode>& nodes) : nodes_(nodes) {}

  void begin(std::string_view document) {
    document_ = document;
    nodes_.clear();
    open_.clear();
    copies_.clear();
    part_begin_ = 0;
  }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_array_begin(json::error_code& error) { return open(Kind::array, error); }
  bool on_array_end(std::size_t, json::error_code&) { return close(); }
  bool on_object_begin(json::error_code& error) { return open(Kind::object, error); }
  bool on_object_end(std::size_t, json::error_code&) { return close(); }

  bool on_string_part(View part, std::size_t, json::error_code&) { return copy(to_std(part)); }
  bool on_string(View rest, std::size_t size, json::error_code& error) {
    return add({.kind = Kind::string, .text = text(to_std(rest), size)}, error);
  }
  bool on_key_part(View part, std::size_t, json::error_code&) { return copy(to_std(part)); }
  bool on_key(View rest, std::size_t size, json::error_code& error) {
    return add({.kind = Kind::key, .text = text(to_std(rest), size)}, error);
  }

  bool on_number_part(View, json::error_code&) { return true; }
  bool on_int64(std::int64_t number, View, json::error_code& error) {
    if (number < 0) return add({.kind = Kind::other_number, .text = {}}, error);
    return on_uint64(static_cast<std::uint64_t>(number), {}, error);
  }
  bool on_uint64(std::uint64_t number, View, json::error_code& error) {
    return add({.kind = Kind::whole, .number = number, .text = {}}, error);
  }
  bool on_double(double, View, json::error_code& error) {
    return add({.kind = Kind::other_number, .text = {}}, error);
  }
  bool on_bool(bool value, json::error_code& error) {
    return add({.kind = Kind::boolean, .number = value ? 1u : 0u, .text = {}}, error);
  }
  bool on_null(json::error_code& error) { return add({.kind = Kind::null, .text = {}}, error); }
  bool on_comment_part(View, json::error_code&) { return true; }
  bool on_comment(View, json::error_code&) { return true; }

 private:
  bool add(const JsonNode& node, json::error_code& error) {
    if (nodes_.size() == most_nodes) {
      error = json::error::array_too_large;
      return false;
    }
    nodes_.push_back(node);
    return true;
  }

  bool open(Kind kind, json::error_code& error) {
    open_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    return add({.kind = kind, .text = {}}, error);
  }

  bool close() {
    nodes_[open_.back()].span = static_cast<std::uint32_t>(nodes_.size() - open_.back());
    open_.pop_back();
    return true;
  }

  /// Text with escapes is put together here. It is never longer than as it was written, so what was
  /// copied once does not move.
  bool copy(std::string_view part) {
    if (copies_.capacity() < document_.size()) copies_.reserve(document_.size());
    copies_ += part;
    return true;
  }

  std::string_view text(std::string_view rest, std::size_t size) {
    const std::less<const char*> before;
    const bool in_place = rest.size() == size && !before(rest.data(), document_.data()) &&
                          before(rest.data(), document_.data() + document_.size());
    if (in_place || size == 0) return rest;
    copy(rest);
    const auto whole = std::string_view(copies_).substr(part_begin_);
    part_begin_ = copies_.size();
    return whole;
  }

  std::vector<JsonNode>& nodes_;
  std::string_view document_;
  std::vector<std::uint32_t> open_;  // arrays and objects around what comes next
  std::string copies_;
  std::size_t part_begin_ = 0;  // where the text that is being put together begins
};

struct JsonTree::Parser {
  static json::parse_options options() {
    json::parse_options options;
    options.max_depth = most_depth;
    return options;
  }

  explicit Parser(std::vector<JsonNode>& nodes) : parser(options(), nodes) {}

  json::basic_parser<Handler> parser;
};

JsonTree::JsonTree() : parser_(std::make_unique<Parser>(nodes_)) {}

JsonTree::~JsonTree() = default;

bool JsonTree::parse(std::string_view document) {
  auto& parser = parser_->parser;
  parser.reset();
  parser.handler().begin(document);
  json::error_code error;
  const auto size = parser.write_some(false, document.data(), document.size(), error);
  if (!error && size < document.size()) error = json::error::extra_data;
  if (!error) return true;
  if (error == json::error::too_deep) {
    error_ = "it is nested deeper than 16 levels";
  } else if (error == json::error::array_too_large || error == json::error::object_too_large) {
    error_ = "it has more than 100000 values";
  } else {
    error_ = error.message() + " at byte " + std::to_string(size);
  }
  return false;
}

}  // namespace weir::front
