// SPDX-License-Identifier: Apache-2.0
// Puts the requests of a log to a configuration, one after another at their own times, and counts.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cli/exact_log.hpp"
#include "cli/progress.hpp"
#include "cli/refused_keys.hpp"
#include "cli/replay_report.hpp"
#include "cli/request_log.hpp"
#include "limiter/engine.hpp"
#include "rules/config.hpp"
#include "store/table.hpp"

namespace weir::cli {

class Replayer {
 public:
  /// `log` is sorted, is not empty, and outlives the replayer.
  Replayer(const rules::Config& config, const RequestLog& log);

  /// Replays the whole log. Once. `top`: how many refused keys are told for each rule.
  [[nodiscard]] ReplayReport run(std::size_t top, Progress& progress);

 private:
  struct RuleTally {
    RuleReport report;
    RefusedKeys keys;
  };
  /// Where the counts of a limit are: the same limit in several plans of a rule is one.
  struct Row {
    std::size_t rule = 0;
    std::size_t limit = 0;
  };

  void add_rows();
  [[nodiscard]] Row row_for(const rules::RuleLimit& limit);
  void replay(std::size_t index);
  void count_verdict(const limiter::Verdict& verdict, Time time);
  void count_hits(const limiter::Verdict& verdict, std::size_t index, Time time);
  void count_limit(const limiter::HitVerdict& hit, std::optional<bool> exact);
  void count_rule(std::span<const limiter::HitVerdict> hits, const Key& key, std::size_t index);
  void find_top(std::size_t top);

  const RequestLog& log_;
  std::shared_ptr<const rules::RuleSet> rules_;
  KeySecret secret_;
  store::Table table_;
  limiter::Engine engine_;
  limiter::Batch batch_;
  rules::Match match_;
  ExactLogs exact_;
  ReplayReport report_;
  std::vector<RuleTally> tallies_;
  std::vector<Row> rows_;  // by RuleLimit::index
};

}  // namespace weir::cli
