// SPDX-License-Identifier: Apache-2.0
// `weir explain`: which rules and limits a request meets, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/answer.hpp"
#include "rules/address.hpp"

namespace weir::cli {

struct ExplainOptions {
  struct Header {
    std::string name;
    std::string value;
  };

  std::string config_file;
  std::string method;
  std::string target;
  std::string host;
  std::vector<Header> headers;
  std::vector<Header> entries;
  std::optional<rules::Address> client;
  std::optional<rules::Address> peer;
  std::optional<std::uint64_t> cost;
  Format format = Format::text;
};

[[nodiscard]] int explain(const ExplainOptions& options, const Streams& streams);

}  // namespace weir::cli
