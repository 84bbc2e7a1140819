// SPDX-License-Identifier: Apache-2.0
// Gathers what is wrong with a configuration, so that all of it can be told at once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rules/config.hpp"

namespace weir::rules {

/// A place in the file, and what stands there: `rules[2].limits[0].rate`.
struct Place {
  int line = 0;
  int column = 0;
  std::string field;
};

class Problems {
 public:
  static constexpr std::size_t most_told = 100;  ///< errors, and as many warnings

  explicit Problems(std::string file) : file_(std::move(file)) {}

  void error(const Place& place, std::string text) { add(place, std::move(text), false); }
  void warning(const Place& place, std::string text) { add(place, std::move(text), true); }

  /// An error in another file that this one names.
  void error_in(const std::string& other_file, const Place& place, std::string text);

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] std::size_t error_count() const noexcept { return errors_; }

  /// Further errors are only counted: their mends need not be looked for.
  [[nodiscard]] bool has_enough() const noexcept { return errors_ >= most_told; }

  /// All of them in the order of the file; of very many those found first, and how many more there
  /// are.
  [[nodiscard]] std::vector<Problem> take();

 private:
  void add(const Place& place, std::string text, bool warning);

  std::string file_;
  std::vector<Problem> problems_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
};

/// The bytes of the printable character that `text` begins with: 0 where it is a control character,
/// or cut, or no UTF-8. `text` is not empty.
[[nodiscard]] std::size_t character_length(std::string_view text) noexcept;

/// Outside text as messages may carry it: what is no printable character in UTF-8 is escaped as
/// `\\xNN`.
[[nodiscard]] std::string printable(std::string_view text);

/// The same, cut where it is long.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace weir::rules
