// SPDX-License-Identifier: Apache-2.0
// The short form of a limit: what is read is written in one spelling, which reads as the same
// limit.
#include <weir/limit.hpp>

#include "fuzz.hpp"

using weir::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto limit = weir::Limit::parse(weir::fuzz::text_of(data, size));
  if (!limit) {
    require(!limit.error().empty());
    return 0;
  }
  const auto spelled = limit->to_string();
  const auto again = weir::Limit::parse(spelled);
  require(again.ok() && *again == *limit && again->to_string() == spelled);
  return 0;
}
