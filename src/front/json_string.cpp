// SPDX-License-Identifier: Apache-2.0
#include "front/json_string.hpp"

#include <cstddef>
#include <cstdint>

namespace weir::front {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool is_plain(char c) noexcept {
  return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x80 &&
         c != '"' && c != '\\';
}

void append_escaped(char c, std::string& out) {
  constexpr std::string_view digits = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

struct Lead {
  std::size_t length = 0;  // of the whole sequence; 0: the byte leads none
  std::uint32_t bits = 0;
  std::uint32_t least = 0;  // the first code point that needs this length
};

Lead lead_of(unsigned char byte) noexcept {
  if (byte >= 0xC0 && byte < 0xE0) return {2, byte & 0x1Fu, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {3, byte & 0x0Fu, 0x800};
  if (byte >= 0xF0 && byte < 0xF8) return {4, byte & 0x07u, 0x10000};
  return {};
}

/// The length of the valid sequence of several bytes that `text` begins with, or 0.
std::size_t sequence_length(std::string_view text) noexcept {
  const auto lead = lead_of(static_cast<unsigned char>(text[0]));
  if (lead.length == 0 || text.size() < lead.length) return 0;
  std::uint32_t point = lead.bits;
  for (const char c : text.substr(1, lead.length - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) return 0;
    point = point << 6 | (byte & 0x3Fu);
  }
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  return point < lead.least || point > 0x10FFFF || surrogate ? 0 : lead.length;
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (static_cast<unsigned char>(text[0]) < 0x80) {
      append_escaped(text[0], out);
      text.remove_prefix(1);
    } else if (const auto length = sequence_length(text); length != 0) {
      out += text.substr(0, length);
      text.remove_prefix(length);
    } else {
      out += replacement;
      text.remove_prefix(1);
    }
  }
  out += '"';
}

}  // namespace weir::front
