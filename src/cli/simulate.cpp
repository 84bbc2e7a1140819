// SPDX-License-Identifier: Apache-2.0
#include "cli/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string_view>

#include "cli/config_file.hpp"
#include "cli/line_reader.hpp"
#include "cli/simulation.hpp"

namespace weir::cli {

namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

std::optional<Error> answer(Simulation& simulation, const LineReader::Line& line,
                            std::string& out) {
  if (line.too_long) {
    return Error{fmt::format("longer than {} bytes", LineReader::longest_line)};
  }
  if (is_blank(line.text)) return {};
  return simulation.answer(line.text, out);
}

/// Answers line by line. Answers go out before the next line is waited for, so that another program
/// may hold a conversation.
std::optional<Error> answer_all(Simulation& simulation, LineReader& reader, std::ostream& stream) {
  constexpr std::size_t most_held = std::size_t{1} << 16;
  std::string out;
  std::uint64_t number = 1;
  std::optional<Error> problem;
  while (const auto line = reader.next()) {
    number = line->number;
    problem = answer(simulation, *line, out);
    if (!problem && out.size() < most_held && reader.has_line()) continue;
    stream << out << std::flush;
    out.clear();
    if (problem || !stream) break;
  }
  if (!reader.error().empty()) return Error{reader.error()};
  if (!problem) problem = simulation.finish();
  if (!problem) return {};
  return Error{fmt::format("{}:{}: {}", reader.name(), number, problem->message)};
}

}  // namespace

int simulate(const SimulateOptions& options, const Streams& streams) {
  std::unique_ptr<Simulation> simulation;
  if (options.config_file.empty()) {
    simulation = simulate_limit({options.memory_bytes, options.store_url}, options.format);
  } else {
    // A store that does not answer ends the simulation: no policy is asked.
    const auto config =
        load_or_tell(options.config_file, streams.err,
                     {.store_url = options.store_url, .on_store_failure = OnStoreFailure::deny});
    if (!config) return exit_no;
    simulation = simulate_requests(*config, options.format);
  }
  auto reader = LineReader::open(options.input);
  const auto problem = reader.ok() ? answer_all(*simulation, *reader, streams.out)
                                   : std::optional(Error{reader.error()});
  if (!problem) return exit_done;
  streams.err << problem->message << '\n';
  return exit_no;
}

}  // namespace weir::cli
