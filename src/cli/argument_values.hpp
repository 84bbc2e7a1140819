// SPDX-License-Identifier: Apache-2.0
// Reads what arguments hold: requests, headers, addresses, words that nobody knows. Errors quote
// what was given and say what would be right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <weir/result.hpp>

#include "cli/explain.hpp"

namespace weir::cli {

struct RequestLine {
  std::string method;
  std::string target;
};

/// `GET /v1/x`; the protocol behind it, as in a request line, is passed over.
[[nodiscard]] Result<RequestLine> read_request_line(std::string_view text);

/// `name: value`.
[[nodiscard]] Result<ExplainOptions::Header> read_header(std::string_view text);

/// `198.18.0.1`, `::1`.
[[nodiscard]] Result<rules::Address> read_address(std::string_view text);

/// What is wrong with a value; empty where nothing is.
[[nodiscard]] std::string endpoint_fault(const std::string& text);  ///< `host:port`, `unix:PATH`
[[nodiscard]] std::string store_fault(const std::string& url);
[[nodiscard]] std::string whole_number_fault(const std::string& text);
[[nodiscard]] std::string size_fault(const std::string& bytes);  ///< of a table or a log, in bytes

/// A word that is none of the known ones.
struct UnknownWord {
  std::string_view kind;    ///< `option`
  std::string_view word;    ///< as given: `--formt`
  std::string_view prefix;  ///< what every word of its kind begins with: `--`
};

/// `unknown option '--formt'; did you mean '--format'?` The known words come without the prefix.
[[nodiscard]] std::string tell_unknown(const UnknownWord& unknown,
                                       const std::vector<std::string>& known);

}  // namespace weir::cli
