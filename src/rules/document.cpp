// SPDX-License-Identifier: Apache-2.0
#include "rules/document.hpp"

#include <algorithm>
#include <array>
#include <istream>
#include <streambuf>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace weir::rules {

namespace {

/// Builds the tree from the parser's events. What it refuses it throws as the parser's own error.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(std::deque<Node>& nodes) : nodes_(nodes) {}

  [[nodiscard]] const Node* root() const noexcept { return root_; }

  /// Refuses a quote that is never closed: the parser takes the rest of the text for its content.
  void check_last_quote(std::string_view text) const {
    const auto begin = static_cast<std::size_t>(std::max(last_quoted_.pos, 0));
    if (begin >= text.size() || (text[begin] != '"' && text[begin] != '\'')) return;
    const char quote = text[begin];
    for (std::size_t at = begin + 1; at < text.size(); ++at) {
      if (text[at] == quote) return;
      if (quote == '"' && text[at] == '\\') ++at;
    }
    refuse(last_quoted_, YAML::ErrorMsg::EOF_IN_SCALAR);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) refuse(mark, "a second document; a configuration is one document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(Node::Kind::null, mark, anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Node* node = anchor < anchors_.size() ? anchors_[anchor] : nullptr;
    if (node == nullptr) refuse(mark, "an alias of nothing");
    for (const Node* open : open_) {
      if (open == node) refuse(mark, "an alias inside of what it names");
    }
    count(mark, node->weight);
    add(node);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    if (tag == "!") last_quoted_ = mark;
    Node* node = make(Node::Kind::scalar, mark, anchor);
    node->text = value;
    add(node);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  [[noreturn]] static void refuse(const YAML::Mark& mark, const std::string& why) {
    throw YAML::ParserException(mark, why);
  }

  static void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      refuse(mark, fmt::format("the tag '{}'; a configuration has no use for tags", shown(tag)));
    }
  }

  void count(const YAML::Mark& mark, std::size_t more) {
    count_ += more;
    if (count_ > Document::most_nodes) {
      refuse(mark, fmt::format("more than {} values (aliases followed)", Document::most_nodes));
    }
  }

  Node* make(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    count(mark, 1);
    Node& node = nodes_.emplace_back();
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    if (anchor != YAML::NullAnchor) {
      if (anchors_.size() <= anchor) anchors_.resize(anchor + 1);
      anchors_[anchor] = &node;
    }
    return &node;
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    check_tag(mark, tag);
    if (open_.size() == Document::most_depth) {
      refuse(mark, fmt::format("nested more than {} levels deep", Document::most_depth));
    }
    open_.push_back(make(kind, mark, anchor));
    keys_.push_back(nullptr);
  }

  void close() {
    const Node* node = open_.back();
    open_.pop_back();
    keys_.pop_back();
    add(node);
  }

  void add(const Node* node) {
    if (open_.empty()) {
      root_ = node;
      return;
    }
    Node& parent = *open_.back();
    parent.weight += node->weight;
    if (parent.kind == Node::Kind::list) {
      parent.items.push_back(node);
    } else if (const Node*& key = keys_.back(); key == nullptr) {
      key = checked_key(node);
    } else {
      parent.entries.emplace_back(key, node);
      key = nullptr;
    }
  }

  static const Node* checked_key(const Node* key) {
    if (key->kind == Node::Kind::scalar) return key;
    YAML::Mark mark;
    mark.line = key->line - 1;
    mark.column = key->column - 1;
    refuse(mark, "a key that is no plain text");
  }

  std::deque<Node>& nodes_;
  std::vector<Node*> open_;
  std::vector<const Node*> keys_;  // of each open map: the key whose value comes next
  std::vector<const Node*> anchors_;
  YAML::Mark last_quoted_;
  const Node* root_ = nullptr;
  std::size_t count_ = 0;
  int documents_ = 0;
};

/// Reads memory without copying it.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // the stream's interface; it only reads
    setg(begin, begin, begin + text.size());
  }
};

/// The parser's words for what users meet most often, said so that they help.
std::string_view plainer(std::string_view message) {
  struct Wording {
    std::string_view parser, ours;
  };
  static const std::array wordings{
      Wording{YAML::ErrorMsg::END_OF_MAP,
              "this line does not fit the mapping around it: look at its indentation"},
      Wording{YAML::ErrorMsg::END_OF_SEQ,
              "this line does not fit the list around it: look at its indentation"},
      Wording{YAML::ErrorMsg::END_OF_MAP_FLOW, "a '{' is never closed, or a ',' is missing"},
      Wording{YAML::ErrorMsg::END_OF_SEQ_FLOW, "a '[' is never closed, or a ',' is missing"},
      Wording{YAML::ErrorMsg::MAP_VALUE,
              "a ':' where no key can stand: look at the indentation, or quote the text"},
      Wording{YAML::ErrorMsg::MAP_KEY, "a key where none can stand: look at the indentation"},
      Wording{YAML::ErrorMsg::BLOCK_ENTRY,
              "a '-' where no list item can stand: look at the indentation"},
      Wording{YAML::ErrorMsg::EOF_IN_SCALAR, "a quote is never closed"},
      Wording{YAML::ErrorMsg::UNKNOWN_ANCHOR,
              "an alias of nothing; a text that begins with '*' must be quoted"},
      Wording{YAML::ErrorMsg::ALIAS_NOT_FOUND, "a text that begins with '*' must be quoted"},
      Wording{YAML::ErrorMsg::CHAR_IN_ALIAS, "a text that begins with '*' must be quoted"},
      Wording{YAML::ErrorMsg::UNKNOWN_TOKEN,
              "a text that begins with this character must be quoted"},
  };
  for (const auto& wording : wordings) {
    if (wording.parser == message) return wording.ours;
  }
  return message;
}

/// Tells of the first tab outside of comments. False where one stands in an indentation, on whose
/// width nobody agrees.
bool check_tabs(std::string_view text, Problems& problems) {
  int line = 0;
  while (!text.empty()) {
    ++line;
    const auto end = std::min(text.find('\n'), text.size());
    const auto content = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto tab = content.find('\t');
    if (tab == content.npos) continue;
    const auto comment = content.find('#');
    const bool is_comment = comment < tab && (comment == 0 || content[comment - 1] == ' ');
    if (is_comment) continue;
    problems.error({line, static_cast<int>(tab) + 1, {}},
                   "a tab; weir.yaml is written with spaces (each further tab is the same error)");
    return content.find_first_not_of(" \t") < tab;
  }
  return true;
}

/// Tells of the first byte that is no text.
bool check_characters(std::string_view text, Problems& problems) {
  Place place{1, 1, {}};
  while (!text.empty()) {
    const char c = text[0];
    const auto length = c == '\n' || c == '\r' || c == '\t' ? 1 : character_length(text);
    if (length == 0) {
      problems.error(place, fmt::format("the byte 0x{:02x}; a configuration is text in UTF-8",
                                        static_cast<unsigned char>(c)));
      return false;
    }
    text.remove_prefix(length);
    place.line += c == '\n' ? 1 : 0;
    place.column = c == '\n' ? 1 : place.column + static_cast<int>(length);
  }
  return true;
}

/// The parser would hold a token for each open bracket. Counted without a look at quotes: no file
/// that a person writes comes near the bound.
bool check_brackets(std::string_view text, Problems& problems) {
  constexpr std::size_t most = 1000;
  std::size_t open = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    if (open <= most) continue;
    problems.error({}, fmt::format("more than {} brackets are open at once", most));
    return false;
  }
  return true;
}

}  // namespace

std::optional<Document> Document::parse(std::string_view text, Problems& problems) {
  if (text.size() > most_bytes) {
    problems.error(
        {}, fmt::format("{} bytes; a configuration has at most {}", text.size(), most_bytes));
    return {};
  }
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (!check_characters(text, problems) || !check_tabs(text, problems) ||
      !check_brackets(text, problems)) {
    return {};
  }
  Document document;
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    Builder builder(document.nodes_);
    while (parser.HandleNextDocument(builder)) {
    }
    builder.check_last_quote(text);
    document.root_ = builder.root();
  } catch (const YAML::Exception& error) {
    const bool placed = !error.mark.is_null();
    problems.error({placed ? error.mark.line + 1 : 0, placed ? error.mark.column + 1 : 0, {}},
                   std::string(plainer(error.msg)));
    return {};
  }
  if (document.root_ == nullptr || document.root_->kind == Node::Kind::null) {
    problems.error(
        {1, 1, {}},
        "the file is empty; the least that weir takes is 'listen: {http: 127.0.0.1:8080}'");
    return {};
  }
  return document;
}

}  // namespace weir::rules
