// SPDX-License-Identifier: Apache-2.0
// Requests.
#include "wire/resp.hpp"

#include <charconv>
#include <optional>

namespace weir::wire::resp {

namespace {

/// A length stands in a line of a few digits.
constexpr std::size_t most_length_line = 32;

/// How to write a number that is just its digits: no sign but `-`, no leading zero, as Redis has
/// it.
std::optional<std::int64_t> parse_number(std::string_view text) {
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '9') return text[0] - '0';
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits[0] < '1' || digits[0] > '9') return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0'; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char escaped(char c) {
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    default: return c;
  }
}

Parsed error(std::string_view text) { return {.status = Parsed::Status::error, .text = text}; }

}  // namespace

/// One attempt at one request: the cursor runs over the input, and what is missing is told as the
/// least size that the input must have for another attempt to come further.
class RequestParser {
 public:
  RequestParser(std::string_view input, Arguments& arguments) : input_(input), out_(arguments) {
    out_.size_ = 0;
  }

  Parsed parse() {
    if (input_.empty()) return need(1);
    return input_[0] == '*' ? array() : inline_command();
  }

 private:
  enum class Step : std::uint8_t { done, stop };  // stop: `result_` says why

  Parsed need(std::size_t bytes) const {
    if (bytes > most_request_bytes) return error("Protocol error: too big request");
    return {.status = Parsed::Status::need_more, .bytes = bytes};
  }
  Parsed request() const { return {.status = Parsed::Status::request, .bytes = at_}; }
  Step stop(const Parsed& result) { return result_ = result, Step::stop; }

  Parsed array() {
    std::int64_t count = 0;
    if (length("Protocol error: invalid multibulk length", count) == Step::stop) return result_;
    if (count > static_cast<std::int64_t>(most_arguments)) {
      return error("Protocol error: invalid multibulk length");
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if (bulk() == Step::stop) return result_;
    }
    return request();
  }

  /// Reads the line of a length behind its type character. Nearly all have one or two digits.
  Step length(std::string_view complaint, std::int64_t& value) {
    return short_length(value) ? Step::done : any_length(complaint, value);
  }

  Step any_length(std::string_view complaint, std::int64_t& value) {
    const std::string_view rest = input_.substr(at_ + 1, most_length_line);
    const auto line_end = rest.find('\r');
    if (line_end == std::string_view::npos) {
      return stop(rest.size() == most_length_line ? error(complaint) : need(input_.size() + 1));
    }
    const auto number = parse_number(rest.substr(0, line_end));
    if (!number) return stop(error(complaint));
    const std::size_t end = at_ + 1 + line_end + 2;
    if (input_.size() < end) return stop(need(end));
    if (input_[end - 1] != '\n') return stop(error(complaint));
    value = *number;
    at_ = end;
    return Step::done;
  }

  bool short_length(std::int64_t& value) {
    if (input_.size() < at_ + 5) return false;
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const char* line = input_.data() + at_ + 1;
    if (digit(line[0]) && line[1] == '\r' && line[2] == '\n') {
      value = line[0] - '0';
      at_ += 4;
      return true;
    }
    if (line[0] != '0' && digit(line[0]) && digit(line[1]) && line[2] == '\r' && line[3] == '\n') {
      value = (line[0] - '0') * 10 + (line[1] - '0');
      at_ += 5;
      return true;
    }
    return false;
  }

  Step bulk() {
    if (at_ == input_.size()) return stop(need(at_ + 1));
    if (input_[at_] != '$') return stop(error("Protocol error: expected '$'"));
    std::int64_t size = 0;
    constexpr std::string_view complaint = "Protocol error: invalid bulk length";
    if (length(complaint, size) == Step::stop) return Step::stop;
    if (size < 0 || size > static_cast<std::int64_t>(most_bulk_bytes))
      return stop(error(complaint));
    const std::size_t end = at_ + static_cast<std::size_t>(size) + 2;
    if (end > most_request_bytes) return stop(error("Protocol error: too big request"));
    if (input_.size() < end) return stop(need(end));
    if (input_[end - 2] != '\r' || input_[end - 1] != '\n') {
      return stop(error("Protocol error: a bulk string does not end where it says"));
    }
    out_.views_[out_.size_++] = input_.substr(at_, static_cast<std::size_t>(size));
    at_ = end;
    return Step::done;
  }

  Parsed inline_command() {
    const auto line_end = input_.substr(0, most_inline_bytes).find('\n');
    if (line_end == std::string_view::npos) {
      if (input_.size() < most_inline_bytes) return need(input_.size() + 1);
      return error("Protocol error: too big inline request");
    }
    std::string_view line = input_.substr(0, line_end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out_.unquoted_.clear();
    out_.unquoted_.reserve(line.size());  // so that no view of it moves
    while (true) {
      while (!line.empty() && is_space(line[0])) line.remove_prefix(1);
      if (line.empty()) break;
      if (out_.size_ == most_arguments) return error("Protocol error: too many arguments");
      if (!word(line)) return error("Protocol error: unbalanced quotes in request");
    }
    at_ = line_end + 1;
    return request();
  }

  /// Takes one word from the line: as it stands where it has no quotes, else as what they mean.
  bool word(std::string_view& line) {
    std::size_t end = 0;
    while (end < line.size() && !is_space(line[end]) && line[end] != '"' && line[end] != '\'')
      ++end;
    if (end == line.size() || is_space(line[end])) {
      out_.views_[out_.size_++] = line.substr(0, end);
      line.remove_prefix(end);
      return true;
    }
    std::string& text = out_.unquoted_;
    const std::size_t begin = text.size();
    text.append(line.substr(0, end));
    line.remove_prefix(end);
    // A quote may open behind some text; what follows where it closes must be a space.
    if (line[0] == '"' ? !double_quoted(line, text) : !single_quoted(line, text)) return false;
    if (!line.empty() && !is_space(line[0])) return false;
    out_.views_[out_.size_++] = std::string_view(text).substr(begin);
    return true;
  }

  static bool double_quoted(std::string_view& line, std::string& text) {
    std::size_t at = 1;
    for (; at < line.size() && line[at] != '"'; ++at) {
      if (line[at] != '\\' || at + 1 == line.size()) {
        text += line[at];
        continue;
      }
      ++at;
      const bool hex = line[at] == 'x' && at + 2 < line.size() && hex_digit(line[at + 1]) >= 0 &&
                       hex_digit(line[at + 2]) >= 0;
      if (hex) {
        text += static_cast<char>(hex_digit(line[at + 1]) * 16 + hex_digit(line[at + 2]));
        at += 2;
      } else {
        text += escaped(line[at]);
      }
    }
    if (at >= line.size()) return false;
    line.remove_prefix(at + 1);
    return true;
  }

  static bool single_quoted(std::string_view& line, std::string& text) {
    std::size_t at = 1;
    for (; at < line.size() && line[at] != '\''; ++at) {
      if (line[at] == '\\' && at + 1 < line.size() && line[at + 1] == '\'') ++at;
      text += line[at];
    }
    if (at >= line.size()) return false;
    line.remove_prefix(at + 1);
    return true;
  }

  std::string_view input_;
  Arguments& out_;
  std::size_t at_ = 0;
  Parsed result_;
};

Parsed parse_request(std::string_view input, Arguments& arguments) {
  return RequestParser(input, arguments).parse();
}

}  // namespace weir::wire::resp
