// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>

#include <ostream>

#include "cli/spelled.hpp"

namespace weir::cli {

namespace {

using namespace std::chrono_literals;

constexpr Duration between_for_terminals = 200ms;
constexpr Duration between_for_logs = 10s;
constexpr std::string_view erase_line = "\r\x1b[K";

}  // namespace

Progress::Progress(const Streams& streams, const Clock& clock) noexcept
    : streams_(streams),
      clock_(clock),
      between_(streams.err_is_terminal ? between_for_terminals : between_for_logs),
      next_(clock.now() + between_) {}

Progress::~Progress() {
  if (stands_) streams_.err << erase_line << std::flush;
}

void Progress::look(std::string_view doing) {
  const Time now = clock_.now();
  if (now < next_) return;
  next_ = now + between_;
  const auto text = fmt::format("{} {}", grouped(steps_), doing);
  if (streams_.err_is_terminal) {
    streams_.err << erase_line << text << std::flush;
    stands_ = true;
  } else {
    streams_.err << text << std::endl;
  }
}

}  // namespace weir::cli
