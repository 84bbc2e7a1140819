// SPDX-License-Identifier: Apache-2.0
#include "cli/explain.hpp"

#include <ostream>

#include "cli/config_file.hpp"

namespace weir::cli {

namespace {

/// The options as a request. It views into them.
class AskedRequest {
 public:
  explicit AskedRequest(const ExplainOptions& options) {
    for (const auto& [name, value] : options.headers) headers_.push_back({name, value});
    for (const auto& [name, value] : options.entries) entries_.push_back({name, value});
    request_ = {.method = options.method,
                .host = options.host,
                .target = options.target,
                .headers = headers_,
                .entries = entries_,
                .client = options.client,
                .peer = options.peer,
                .cost = options.cost};
  }
  AskedRequest(const AskedRequest&) = delete;
  AskedRequest& operator=(const AskedRequest&) = delete;

  [[nodiscard]] const rules::Request& get() const noexcept { return request_; }

 private:
  std::vector<rules::Header> headers_;
  std::vector<rules::Entry> entries_;
  rules::Request request_;
};

}  // namespace

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
