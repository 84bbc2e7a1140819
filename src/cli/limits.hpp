// SPDX-License-Identifier: Apache-2.0
// `weir limits`: reads and mends single counters in the stores that instances share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/answer.hpp"
#include "cli/explain.hpp"

namespace weir::cli {

struct LimitsOptions {
  enum class Action : std::uint8_t {
    get,    ///< tell how each counter stands
    reset,  ///< forget it: its next request finds it fresh
    set,    ///< make it as if so many units were used
  } action = Action::get;

  /// The request whose counters are meant; without a method, those of a named limit.
  ExplainOptions request;
  std::string limit;
  std::vector<std::string> key;
  std::uint64_t used = 0;
  Format format = Format::text;
};

[[nodiscard]] int limits(const LimitsOptions& options, const Streams& streams);

}  // namespace weir::cli
