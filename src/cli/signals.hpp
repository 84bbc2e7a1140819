// SPDX-License-Identifier: Apache-2.0
// The signals that tell a serving process what to do, taken one at a time by one thread.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>

#include <weir/clock.hpp>

namespace weir::cli {

/// From its construction on, the signals below are delivered to nobody but `wait`: made before the
/// first thread, so that every thread inherits it. They stay so to the end of the process: who asks
/// for the end twice must not have the ending process killed.
class Signals {
 public:
  enum class Told : std::uint8_t {
    stop,    ///< SIGTERM, SIGINT
    reload,  ///< SIGHUP
  };

  Signals() noexcept;
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// The next signal, or nothing after `at_most`.
  [[nodiscard]] std::optional<Told> wait(Duration at_most) noexcept;

 private:
  sigset_t taken_;
};

}  // namespace weir::cli
