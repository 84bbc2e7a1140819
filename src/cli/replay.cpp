// SPDX-License-Identifier: Apache-2.0
#include "cli/replay.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <optional>
#include <ostream>

#include "cli/config_file.hpp"
#include "cli/line_reader.hpp"
#include "cli/progress.hpp"
#include "cli/replay_report.hpp"
#include "cli/replayer.hpp"
#include "cli/request_log.hpp"
#include "cli/spelled.hpp"

namespace weir::cli {

namespace {

/// Reads logs into memory, and tells of the first few lines that are no requests.
class LogLoader {
 public:
  LogLoader(const ReplayOptions& options, const Streams& streams, Progress& progress)
      : requests_(options.memory_bytes), streams_(streams), progress_(progress) {}

  /// Why a log cannot be replayed.
  [[nodiscard]] std::optional<Error> load(const std::string& path) {
    auto reader = LineReader::open(path);
    if (!reader.ok()) return Error{reader.error()};
    auto& summary = summaries_.emplace_back(LogSummary{.name = reader->name()});
    while (const auto line = reader->next()) {
      ++summary.lines;
      progress_.step("lines read");
      if (auto full = take(*line, summary)) return full;
    }
    if (!reader->error().empty()) return Error{reader->error()};
    return {};
  }

  [[nodiscard]] RequestLog& requests() noexcept { return requests_; }
  [[nodiscard]] std::vector<LogSummary>& summaries() noexcept { return summaries_; }

 private:
  static constexpr std::uint64_t most_told = 5;

  std::optional<Error> take(const LineReader::Line& line, LogSummary& summary) {
    const auto request = line.too_long ? Result<LoggedRequest>(Error{"the line is too long"})
                                       : parser_.parse(line.text);
    if (!request.ok()) {
      tell_bad(line, request.error(), summary);
      return {};
    }
    if (!rules::Address::parse(request->client)) ++summary.without_address;
    if (requests_.add(*request)) return {};
    return Error{fmt::format(
        "{}:{}: the memory is used up after {} requests; give more with --memory, or replay a "
        "shorter time",
        summary.name, line.number, grouped(requests_.size()))};
  }

  void tell_bad(const LineReader::Line& line, std::string_view why, LogSummary& summary) {
    ++summary.bad_lines;
    if (summary.bad_lines > most_told) return;
    fmt::print(streams_.err, "{}:{}: passed over: {}\n", summary.name, line.number, why);
    if (summary.bad_lines == most_told) streams_.err << "further lines are only counted\n";
  }

  RequestLog requests_;
  AccessLogParser parser_;
  std::vector<LogSummary> summaries_;
  const Streams& streams_;
  Progress& progress_;
};

std::optional<Error> load_all(const ReplayOptions& options, LogLoader& loader) {
  for (const auto& path : options.logs) {
    if (auto problem = loader.load(path)) return problem;
  }
  if (loader.requests().empty()) return Error{"the logs hold no request in the combined format"};
  return {};
}

}  // namespace

int replay(const ReplayOptions& options, const Streams& streams) {
  const auto config = load_or_tell(options.config_file, streams.err);
  if (!config) return exit_no;
  std::optional<ReplayReport> report;
  {
    Progress progress(streams, SteadyClock::shared());
    LogLoader loader(options, streams, progress);
    if (const auto problem = load_all(options, loader)) {
      streams.err << problem->message << '\n';
      return exit_no;
    }
    loader.requests().sort();
    progress.restart();
    report = Replayer(*config, loader.requests()).run(options.top, progress);
    report->logs = std::move(loader.summaries());
  }
  if (options.format == Format::json) {
    tell_json(*report, streams.out);
  } else {
    tell_text(*report, streams.out);
  }
  return exit_done;
}

}  // namespace weir::cli
