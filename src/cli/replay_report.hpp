// SPDX-License-Identifier: Apache-2.0
// What a replay found out, as numbers; and how that is told.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <weir/clock.hpp>
#include <weir/limit.hpp>

#include "cli/timeline.hpp"

namespace weir::cli {

/// A log that was read.
struct LogSummary {
  std::string name;
  std::uint64_t lines = 0;
  std::uint64_t bad_lines = 0;
  std::uint64_t without_address = 0;  ///< requests of clients that the log names by no address
};

/// One limit's own verdicts.
struct LimitReport {
  std::string name;
  Limit limit;
  std::uint64_t requests = 0;
  std::uint64_t admitted = 0;
  std::uint64_t refused = 0;
  std::uint64_t false_refusals = 0;    ///< an exact sliding log of the same rate admits
  std::uint64_t false_admissions = 0;  ///< an exact sliding log of the same rate refuses
  std::uint64_t not_compared = 0;      ///< the memory did not hold the exact log
};

struct RefusedKey {
  std::string key;
  std::uint64_t refused = 0;
};

/// A rule refuses where any of its limits does.
struct RuleReport {
  std::string name;
  bool shadow = false;
  std::uint64_t requests = 0;
  std::uint64_t admitted = 0;
  std::uint64_t refused = 0;
  std::vector<LimitReport> limits;
  std::vector<RefusedKey> top_refused;
  std::uint64_t refused_keys = 0;
  bool keys_are_counted_in_part = false;  ///< there were more keys than are told apart
};

struct ReplayReport {
  std::vector<LogSummary> logs;
  Time first;
  Time last;
  std::uint64_t requests = 0;
  std::uint64_t admitted = 0;   ///< with the next three
  std::uint64_t exempt = 0;     ///< an exempting rule admitted it
  std::uint64_t unlimited = 0;  ///< it met no enforced limit
  std::uint64_t delayed = 0;    ///< it would have started later
  Duration longest_delay{};
  std::uint64_t refused = 0;
  std::uint64_t forbidden = 0;    ///< a part of the key is missing
  std::uint64_t unavailable = 0;  ///< the table of keys was full
  std::vector<RuleReport> rules;
  std::optional<Timeline> timeline;
};

void tell_text(const ReplayReport& report, std::ostream& out);
void tell_json(const ReplayReport& report, std::ostream& out);

}  // namespace weir::cli
