// SPDX-License-Identifier: Apache-2.0
// The program `weir`: reads its command line and does what is asked.
#include <unistd.h>

#include <exception>
#include <iostream>
#include <string>
#include <variant>
#include <vector>

#include "cli/command_line.hpp"

namespace {

using namespace weir::cli;

struct Runner {
  const Streams& streams;

  int operator()(const Ended& ended) const {
    streams.out << ended.out;
    streams.err << ended.err;
    return ended.exit_code;
  }
  int operator()(const ServeOptions& options) const { return serve(options); }
  int operator()(const CheckOptions& options) const { return check(options, streams); }
  int operator()(const ExplainOptions& options) const { return explain(options, streams); }
  int operator()(const SimulateOptions& options) const { return simulate(options, streams); }
  int operator()(const ReplayOptions& options) const { return replay(options, streams); }
  int operator()(const LimitsOptions& options) const { return limits(options, streams); }
};

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const Streams streams{std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1};
  try {
    const auto command = parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
    const int exit_code = std::visit(Runner{streams}, command);
    if (std::cout.flush()) return exit_code;
    std::cerr << "weir: the answer could not be written to the standard output\n";
  } catch (const std::exception& fault) {
    std::cerr << "weir: " << fault.what() << '\n';
  }
  return exit_no;
}
