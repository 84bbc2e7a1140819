// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.hpp"

#include <ctime>

namespace weir::cli {

Signals::Signals() noexcept {
  sigemptyset(&taken_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&taken_, signal);
  pthread_sigmask(SIG_BLOCK, &taken_, nullptr);
  // A peer that went away is told by the write that fails, not by a signal that ends the process.
  std::signal(SIGPIPE, SIG_IGN);
}

std::optional<Signals::Told> Signals::wait(Duration at_most) noexcept {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at_most);
  const timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (at_most - seconds).count()};
  switch (sigtimedwait(&taken_, nullptr, &timeout)) {
    case SIGTERM:
    case SIGINT: return Told::stop;
    case SIGHUP: return Told::reload;
    default: return std::nullopt;
  }
}

}  // namespace weir::cli
