// SPDX-License-Identifier: Apache-2.0
// Tells how far a long task is: at once and in place where somebody watches, else now and then.
#pragma once

#include <cstdint>
#include <string_view>

#include <weir/clock.hpp>

#include "cli/answer.hpp"

namespace weir::cli {

class Progress {
 public:
  /// Both outlive it.
  Progress(const Streams& streams, const Clock& clock) noexcept;

  /// Removes what stands in place.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One step is done. `doing` is what is counted: `lines read`.
  void step(std::string_view doing) {
    if ((++steps_ & steps_between_looks) == 0) look(doing);
  }

  /// Starts counting anew, for the next task.
  void restart() noexcept { steps_ = 0; }

 private:
  static constexpr std::uint64_t steps_between_looks = 0xfff;  // all ones: a mask
  void look(std::string_view doing);

  const Streams& streams_;
  const Clock& clock_;
  Duration between_;
  Time next_;
  std::uint64_t steps_ = 0;
  bool stands_ = false;
};

}  // namespace weir::cli
