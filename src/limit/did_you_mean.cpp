// SPDX-License-Identifier: Apache-2.0
// The nearest name by edit distance.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "limit/text.hpp"
#include "limit/text_parts.hpp"

namespace weir {
namespace {

// How many slips lead from one to the other: a letter more, less, another one, or two swapped
// (Damerau's distance, three rows of the table at a time).
std::size_t edit_distance(std::string_view word, std::string_view name) {
  std::vector<std::size_t> before(name.size() + 1), last(name.size() + 1), row(name.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < word.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < name.size(); ++j) {
      const std::size_t replaced = last[j] + (word[i] == name[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, last[j + 1] + 1, row[j] + 1});
      const bool swapped = i > 0 && j > 0 && word[i] == name[j - 1] && word[i - 1] == name[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::size_t longest = 64;
  if (word.size() > longest) return "";
  const std::string written = text::folded(word);
  std::string_view nearest;
  std::size_t below = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(written, name);
    if (distance >= below || distance >= name.size()) continue;
    below = distance;
    nearest = name;
  }
  return nearest.empty() ? "" : text::join({"; did you mean '", nearest, "'?"});
}

}  // namespace weir
