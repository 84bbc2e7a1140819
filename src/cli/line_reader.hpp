// SPDX-License-Identifier: Apache-2.0
// Reads a file or standard input line by line, in bounded memory. What is gzip is unpacked on the
// way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <weir/result.hpp>

namespace weir::cli {

class LineReader {
 public:
  /// A longer line is told of, but its text is not given.
  static constexpr std::size_t longest_line = std::size_t{1} << 20;

  /// Opens a file, or standard input for `-`.
  [[nodiscard]] static Result<LineReader> open(const std::string& path);

  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  struct Line {
    std::string_view text;     ///< without its end (`\n` or `\r\n`); until the next call of `next`
    std::uint64_t number = 0;  ///< from 1
    bool too_long = false;     ///< longer than `longest_line`; `text` is empty
  };

  /// The next line; nothing at the end, and where reading failed (`error` tells).
  [[nodiscard]] std::optional<Line> next();

  /// Whether the next line is here already, so that `next` will not wait for it.
  [[nodiscard]] bool has_line() const noexcept;

  /// Why reading ended early: `FILE: REASON`. Empty where it did not.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }

  /// The file's name as messages tell it: `stdin` for `-`.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  class Source;
  LineReader(std::string name, std::unique_ptr<Source> source);
  [[nodiscard]] bool fill();
  [[nodiscard]] std::size_t line_size(std::size_t scanned) const noexcept;
  void skip_rest_of_line();

  std::string name_;
  std::unique_ptr<Source> source_;
  std::string buffer_;
  std::size_t begin_ = 0;  // what is before it in the buffer has been given out
  std::uint64_t number_ = 0;
  bool ended_ = false;
  std::string error_;
};

}  // namespace weir::cli
