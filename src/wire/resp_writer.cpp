// SPDX-License-Identifier: Apache-2.0
// Replies.
#include <algorithm>
#include <cassert>
#include <charconv>

#include "wire/resp.hpp"

namespace weir::wire::resp {

namespace {

constexpr std::size_t longest_integer = 24;  // with its type and line end

char* put_integer(char* at, std::int64_t value) {
  *at++ = ':';
  at = std::to_chars(at, at + longest_integer - 3, value).ptr;
  *at++ = '\r';
  *at++ = '\n';
  return at;
}

}  // namespace

void Writer::header(char type, std::uint64_t count) {
  char text[24];
  text[0] = type;
  char* end = std::to_chars(text + 1, text + sizeof text - 2, count).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out_.append(text, end);
}

void Writer::simple(std::string_view text) {
  assert(text.find_first_of("\r\n") == std::string_view::npos);
  out_.append("+").append(text).append("\r\n");
}

void Writer::error(std::string_view text) {
  out_ += '-';
  const std::size_t begin = out_.size();
  out_ += text;
  const auto is_line_end = [](char c) { return c == '\r' || c == '\n'; };
  std::replace_if(out_.begin() + static_cast<std::ptrdiff_t>(begin), out_.end(), is_line_end, ' ');
  out_ += "\r\n";
}

void Writer::integer(std::int64_t value) {
  char text[longest_integer];
  out_.append(text, put_integer(text, value));
}

void Writer::bulk(std::string_view bytes) {
  header('$', bytes.size());
  out_.append(bytes).append("\r\n");
}

void Writer::null() { out_ += resp3_ ? "_\r\n" : "$-1\r\n"; }

void Writer::array(std::size_t size) { header('*', size); }

void Writer::map(std::size_t pairs) {
  if (resp3_) {
    header('%', pairs);
  } else {
    header('*', pairs * 2);
  }
}

void Writer::integers(std::span<const std::int64_t> values) {
  assert(values.size() <= most_integers);
  // One piece of text for all of them: this is the reply of every decision.
  char text[longest_integer * (most_integers + 1)];
  char* end = text;
  *end++ = '*';
  *end++ = static_cast<char>('0' + values.size());
  *end++ = '\r';
  *end++ = '\n';
  for (const auto value : values) end = put_integer(end, value);
  out_.append(text, end);
}

}  // namespace weir::wire::resp
