// SPDX-License-Identifier: Apache-2.0
// A request as a command line describes it.
#pragma once

#include <vector>

#include "cli/explain.hpp"
#include "rules/request.hpp"

namespace weir::cli {

/// Views into the options, which outlive it.
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

}  // namespace weir::cli
