// SPDX-License-Identifier: Apache-2.0
// Admitted and refused over time, in a bounded number of steps, and as a chart of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include <weir/clock.hpp>

namespace weir::cli {

class Timeline {
 public:
  static constexpr std::size_t most_steps = 24;

  struct Step {
    std::uint64_t admitted = 0;
    std::uint64_t refused = 0;
  };

  /// From `first` to `last`, in the shortest round step that is no more than `most_steps` of them.
  struct Span {
    Time first;
    Time last;
  };
  explicit Timeline(const Span& span);

  /// Counts a request within the span.
  void count(Time time, bool admitted) noexcept;

  [[nodiscard]] Duration step() const noexcept { return step_; }
  [[nodiscard]] Time start_of(std::size_t index) const noexcept;
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }

  /// A row for each step: when, a bar of `#` for admitted and `x` for refused, and the numbers.
  void draw(std::ostream& out) const;

 private:
  Duration step_;
  std::int64_t first_index_ = 0;  // steps since the epoch
  std::vector<Step> steps_;
};

}  // namespace weir::cli
