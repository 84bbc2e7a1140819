// SPDX-License-Identifier: Apache-2.0
// Path patterns: literal segments, `*` for one segment, `**` for any number of them, also none.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weir/result.hpp>

namespace weir::rules {

/// A path's segments, as `NormalPath` has them.
using Segments = std::span<const std::string_view>;

class PathPattern {
 public:
  static constexpr std::size_t most_bytes = 1024;

  /// Reads a pattern. An error says why no path in normal form could match, and what would be
  /// right.
  [[nodiscard]] static Result<PathPattern> parse(std::string_view text);

  /// Its text, as written.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// The literal segments that every matching path begins with: `/v1/users` of `/v1/users/*/posts`.
  [[nodiscard]] std::string_view literal_prefix() const noexcept {
    return std::string_view(text_).substr(0, prefix_bytes_);
  }
  [[nodiscard]] std::size_t literal_segments() const noexcept { return prefix_segments_; }

  [[nodiscard]] bool matches(Segments path) const noexcept {
    return matches_behind_prefix(path, 0);
  }

  /// The same for a path that is known to begin with the literal prefix.
  [[nodiscard]] bool matches_rest(Segments path) const noexcept {
    return matches_behind_prefix(path, prefix_segments_);
  }

 private:
  enum class Kind : unsigned char { literal, one, any };
  struct Part {
    Kind kind;
    std::string text;
  };

  [[nodiscard]] bool matches_behind_prefix(Segments path, std::size_t known) const noexcept;
  void add(std::string_view segment);

  std::string text_;
  std::vector<Part> parts_;
  std::size_t prefix_bytes_ = 0;
  std::size_t prefix_segments_ = 0;
};

}  // namespace weir::rules
