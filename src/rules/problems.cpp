// SPDX-License-Identifier: Apache-2.0
#include "rules/problems.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace weir::rules {

namespace {

constexpr std::size_t most_told = 100;

}  // namespace

std::string Problem::to_string() const {
  std::string result = file;
  if (line > 0) result += fmt::format(":{}:{}", line, column);
  result += ": ";
  if (warning) result += "warning: ";
  if (!field.empty()) result += field + ": ";
  return result + text;
}

void Problems::add(const Place& place, std::string text, bool warning) {
  if (!warning) ++errors_;
  if (problems_.size() == most_told) {
    ++untold_;
    return;
  }
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
  if (untold_ > 0) {
    problems_.push_back(
        {file_, 0, 0, {}, fmt::format("and {} problems more", untold_), errors_ == 0});
  }
  return std::move(problems_);
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 80;
  std::string result;
  for (const char c : text.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  if (text.size() > most) result += "...";
  return result;
}

}  // namespace weir::rules
