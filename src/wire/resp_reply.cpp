// SPDX-License-Identifier: Apache-2.0
// Replies are parsed, and commands written.
#include "wire/resp_reply.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <limits>

namespace weir::wire::resp {

namespace {

/// A number stands in a line of a few digits.
constexpr std::size_t most_number_line = 32;

using Status = ParsedReply::Status;

ParsedReply error(std::string_view text) { return {.status = Status::error, .text = text}; }

}  // namespace

std::string_view Reply::error_code() const noexcept {
  if (!is_error()) return {};
  return root().text.substr(0, root().text.find(' '));
}

/// One attempt at one reply. Arrays that still lack elements are kept on a stack, so that what
/// comes from outside decides over no recursion.
class ReplyParser {
 public:
  ReplyParser(std::string_view input, Reply& reply)
      : input_(input.substr(0, most_reply_bytes)), nodes_(reply.nodes_) {
    nodes_.clear();
  }

  ParsedReply parse() {
    do {
      if (value() == Step::stop) return result_;
    } while (depth_ > 0);
    return {.status = Status::reply, .bytes = at_};
  }

 private:
  enum class Step : std::uint8_t { done, stop };  // stop: `result_` says why

  struct Open {
    std::size_t node;
    std::size_t missing;  // elements
  };

  Step stop(const ParsedReply& result) { return result_ = result, Step::stop; }
  Step need(std::size_t bytes) {
    if (bytes > most_reply_bytes) return stop(error("too big reply"));
    return stop({.status = Status::need_more, .bytes = bytes});
  }

  Step value() {
    if (at_ == input_.size()) return need(at_ + 1);
    switch (input_[at_]) {
      case '+': return line(Node::Type::simple);
      case '-': return line(Node::Type::error);
      case ':': return integer();
      case '$': return bulk();
      case '*': return array();
      default: return stop(error("a reply of no known type"));
    }
  }

  /// The value is whole, and so are the arrays whose last element it is.
  Step complete(Node node) {
    node.end = static_cast<std::uint32_t>(nodes_.size() + 1);
    nodes_.push_back(node);
    while (depth_ > 0 && --open_[depth_ - 1].missing == 0) {
      nodes_[open_[--depth_].node].end = static_cast<std::uint32_t>(nodes_.size());
    }
    return Step::done;
  }

  Step line(Node::Type type) {
    const auto end = input_.find('\r', at_ + 1);
    if (end == std::string_view::npos) return need(input_.size() + 1);
    if (end + 1 == input_.size()) return need(end + 2);
    if (input_[end + 1] != '\n') return stop(error("a line without its end"));
    const auto text = input_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 2;
    return complete({.type = type, .text = text});
  }

  Step number(std::int64_t& value) {
    const std::string_view rest = input_.substr(at_ + 1, most_number_line);
    const auto end = rest.find('\r');
    if (end == std::string_view::npos) {
      return rest.size() < most_number_line ? need(input_.size() + 1)
                                            : stop(error("a number of too many digits"));
    }
    const auto [stopped, failure] = std::from_chars(rest.data(), rest.data() + end, value);
    if (failure != std::errc{} || stopped != rest.data() + end) return stop(error("no number"));
    const std::size_t line_end = at_ + 1 + end + 2;
    if (input_.size() < line_end) return need(line_end);
    if (input_[line_end - 1] != '\n') return stop(error("a line without its end"));
    at_ = line_end;
    return Step::done;
  }

  Step integer() {
    std::int64_t value = 0;
    if (number(value) == Step::stop) return Step::stop;
    return complete({.type = Node::Type::integer, .integer = value});
  }

  Step bulk() {
    std::int64_t size = 0;
    if (number(size) == Step::stop) return Step::stop;
    if (size == -1) return complete({});
    if (size < 0) return stop(error("a string of negative length"));
    if (size > static_cast<std::int64_t>(most_reply_bytes)) return stop(error("too big reply"));
    const std::size_t end = at_ + static_cast<std::size_t>(size) + 2;
    if (input_.size() < end) return need(end);
    if (input_[end - 2] != '\r' || input_[end - 1] != '\n') {
      return stop(error("a string that does not end where it says"));
    }
    const auto text = input_.substr(at_, static_cast<std::size_t>(size));
    at_ = end;
    return complete({.type = Node::Type::bulk, .text = text});
  }

  Step array() {
    std::int64_t size = 0;
    if (number(size) == Step::stop) return Step::stop;
    if (size == -1) return complete({});
    if (size < 0) return stop(error("an array of negative length"));
    if (size == 0) return complete({.type = Node::Type::array});
    if (size > static_cast<std::int64_t>(most_reply_nodes - nodes_.size())) {
      return stop(error("a reply of too many values"));
    }
    if (depth_ == most_reply_depth) return stop(error("too many arrays within each other"));
    open_[depth_++] = {.node = nodes_.size(), .missing = static_cast<std::size_t>(size)};
    nodes_.push_back({.type = Node::Type::array, .size = static_cast<std::uint32_t>(size)});
    return Step::done;
  }

  std::string_view input_;
  std::vector<Node>& nodes_;
  std::size_t at_ = 0;
  std::array<Open, most_reply_depth> open_;
  std::size_t depth_ = 0;
  ParsedReply result_;
};

ParsedReply parse_reply(std::string_view input, Reply& reply) {
  return ReplyParser(input, reply).parse();
}

namespace {

void append_header(std::string& out, char type, std::size_t count) {
  char text[std::numeric_limits<std::size_t>::digits10 + 4];
  text[0] = type;
  char* end = std::to_chars(text + 1, text + sizeof text - 2, count).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(text, end);
}

}  // namespace

void append_command(std::string& out, std::span<const std::string_view> arguments) {
  assert(!arguments.empty());
  append_header(out, '*', arguments.size());
  for (const auto argument : arguments) {
    append_header(out, '$', argument.size());
    out.append(argument).append("\r\n");
  }
}

}  // namespace weir::wire::resp
