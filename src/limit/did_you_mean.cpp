// SPDX-License-Identifier: Apache-2.0
// The nearest name by edit distance.
#include <algorithm>
#include <numeric>
#include <vector>

#include "limit/text.hpp"
#include "limit/text_parts.hpp"

namespace weir {
namespace {

// Levenshtein's distance, one row of his table at a time.
std::size_t edit_distance(std::string_view word, std::string_view name) {
  std::vector<std::size_t> row(name.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < word.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < name.size(); ++j) {
      const std::size_t replaced = diagonal + (word[i] == name[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
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
