// SPDX-License-Identifier: Apache-2.0
// Answers scenario lines one by one. The time is that of the line, and never runs backwards.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <weir/result.hpp>

#include "cli/answer.hpp"
#include "rules/config.hpp"
#include "store/store.hpp"

namespace weir::cli {

class Simulation {
 public:
  virtual ~Simulation() = default;

  /// Appends the answer to a line, with its end, or tells what is wrong with the line.
  [[nodiscard]] virtual std::optional<Error> answer(std::string_view line, std::string& out) = 0;

  /// What the input lacked as a whole; asked at its end.
  [[nodiscard]] virtual std::optional<Error> finish() { return {}; }
};

/// Where the counters of a simulation on one limit are: in a table of so many bytes, or in the
/// shared store at the URL.
struct SimulatedStore {
  std::size_t memory_bytes;
  std::optional<std::string> url;
};

/// The first line is the limit, the others are asked of it, each for its own key.
[[nodiscard]] std::unique_ptr<Simulation> simulate_limit(const SimulatedStore& store,
                                                         Format format);

/// Whole requests against a configuration, with the stores that it names.
[[nodiscard]] std::unique_ptr<Simulation> simulate_requests(const rules::Config& config,
                                                            Format format);

/// The shared store of a simulation: asked with the times of the events, by one who waits.
[[nodiscard]] std::unique_ptr<Store> simulated_store(const rules::StoreConfig& config);

}  // namespace weir::cli
