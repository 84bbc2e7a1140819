// SPDX-License-Identifier: Apache-2.0
// Lines of access logs: a request, or the reason why it is none.
#include "cli/access_log.hpp"
#include "fuzz.hpp"

using weir::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::cli::AccessLogParser parser;
  const auto request = parser.parse(weir::fuzz::text_of(data, size));
  if (!request) {
    require(!request.error().empty());
    return 0;
  }
  require(!request->client.empty());
  require(request->time >= weir::Time{} && request->time <= weir::latest_time);
  return 0;
}
