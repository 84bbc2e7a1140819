// SPDX-License-Identifier: Apache-2.0
// Limits that come with asks as text: callers send the same few over and over.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <weir/limit.hpp>

namespace weir::front {

/// `Limit::parse` with a memory of what it lately read. Texts that do not share a place (by their
/// hash) are read once.
class RateCache {
 public:
  [[nodiscard]] Result<Limit> parse(std::string_view text) {
    if (text.size() > longest_kept) return Limit::parse(text);
    Entry& entry = entries_[std::hash<std::string_view>{}(text) % entries_.size()];
    if (entry.limit && entry.text == text) return *entry.limit;
    auto limit = Limit::parse(text);
    if (limit) {
      entry.text = text;
      entry.limit = *limit;
    }
    return limit;
  }

 private:
  static constexpr std::size_t longest_kept = 64;

  struct Entry {
    std::string text;
    std::optional<Limit> limit;
  };

  std::array<Entry, 64> entries_;
};

}  // namespace weir::front
