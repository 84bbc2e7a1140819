// SPDX-License-Identifier: Apache-2.0
// What limits are measured against: exact sliding logs of the same count and period, asked beside
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/key.hpp"
#include "limiter/engine.hpp"
#include "rules/rule_set.hpp"
#include "store/table.hpp"

namespace weir::cli {

class ExactLogs {
 public:
  struct Options {
    std::size_t memory_bytes;
    KeySecret secret;
  };
  ExactLogs(const rules::RuleSet& rules, const Options& options);

  /// Asks the logs of all limits that a request met: what each would have said in its limit's
  /// place. A log is charged where it admits and nothing else that its limit depends on refuses.
  /// For each hit whether it admits; nothing where the memory does not hold the log.
  [[nodiscard]] std::span<const std::optional<bool>> ask(Time now, const rules::Match& match,
                                                         const limiter::Verdict& verdict);

 private:
  [[nodiscard]] Key key_of(const rules::Match& match, const rules::Hit& hit) const;

  KeySecret secret_;
  store::Table table_;
  std::deque<CompiledLimit> logs_;  // by RuleLimit::index
  std::vector<Op> ops_;
  std::vector<Outcome> outcomes_;
  std::vector<std::optional<bool>> answers_;
};

}  // namespace weir::cli
