// SPDX-License-Identifier: Apache-2.0
#include "cli/explain.hpp"

#include <ostream>

#include "cli/asked_request.hpp"
#include "cli/config_file.hpp"

namespace weir::cli {

int explain(const ExplainOptions& options, const Streams& streams) {
  const auto config = load_or_tell(options.config_file, streams.err);
  if (!config) return exit_no;
  const AskedRequest request(options);
  const auto& rules = *config->rules;
  auto out = options.format == Format::json ? rules.explain_json(request.get())
                                            : rules.explain(request.get());
  if (!out.ends_with('\n')) out += '\n';
  streams.out << out;
  return exit_done;
}

}  // namespace weir::cli
