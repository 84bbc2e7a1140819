// SPDX-License-Identifier: Apache-2.0
#include "rules/problems.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace weir::rules {

std::string Problem::to_string() const {
  std::string result = file;
  if (line > 0) result += fmt::format(":{}:{}", line, column);
  if (!result.empty()) result += ": ";
  if (warning) result += "warning: ";
  if (!field.empty()) result += field + ": ";
  return result + text;
}

void Problems::add(const Place& place, std::string text, bool warning) {
  if (++(warning ? warnings_ : errors_) > most_told) return;
  problems_.push_back({file_, place.line, place.column, place.field, std::move(text), warning});
}

void Problems::error_in(const std::string& other_file, const Place& place, std::string text) {
  const auto before = problems_.size();
  error(place, std::move(text));
  if (problems_.size() > before) problems_.back().file = other_file;
}

std::vector<Problem> Problems::take() {
  std::stable_sort(problems_.begin(), problems_.end(), [this](const Problem& a, const Problem& b) {
    const auto order = [this](const Problem& p) {
      return std::tuple(p.file != file_, p.line, p.column);
    };
    return order(a) < order(b);
  });
  const auto untold = errors_ + warnings_ - problems_.size();
  if (untold > 0) {
    problems_.push_back(
        {file_, 0, 0, {}, fmt::format("and {} problems more", untold), errors_ <= most_told});
  }
  return std::move(problems_);
}

std::size_t character_length(std::string_view text) noexcept {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) >= 0xa0;
  const bool beyond = first == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto length = character_length(text);
    if (length > 0) {
      result += text.substr(0, length);
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 80;
  return text.size() <= most ? printable(text) : printable(text.substr(0, most)) + "...";
}

}  // namespace weir::rules
