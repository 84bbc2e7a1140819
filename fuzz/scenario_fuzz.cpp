// SPDX-License-Identifier: Apache-2.0
// Lines of `weir simulate`, of each kind: what is asked, or the reason why it is not understood.
#include <memory>

#include "cli/scenario.hpp"
#include "fuzz.hpp"

using weir::fuzz::require;

namespace {

template <typename T>
bool is_answered(const weir::Result<T>& result) {
  return result.ok() || !result.error().empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto reader = std::make_unique<weir::cli::ScenarioReader>();
  const auto line = weir::fuzz::text_of(data, size);
  require(is_answered(reader->read_limit(line)));
  const auto event = reader->read_event(line);
  require(is_answered(event));
  if (event) require(event->time >= weir::Time{} && event->time <= weir::latest_time);
  require(is_answered(reader->read_request(line)));
  return 0;
}
