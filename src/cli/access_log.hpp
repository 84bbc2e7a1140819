// SPDX-License-Identifier: Apache-2.0
// Reads lines of web servers' access logs in the combined format, as Apache and nginx write it:
//
//     198.18.0.1 - user [17/May/2015:10:05:03 +0000] "GET /x HTTP/1.1" 200 512 "referer" "agent"
//
// What decides about a request is read: the client, the time, the request line and two headers. The
// common format (without the headers), fields behind the last, and lines cut short behind the
// request are taken too.
#pragma once

#include <string>
#include <string_view>

#include <weir/clock.hpp>
#include <weir/result.hpp>

namespace weir::cli {

/// One request as it was logged. A header that was not sent is empty.
struct LoggedRequest {
  Time time;                ///< to the second
  std::string_view client;  ///< an address, or a host's name where the server looks names up
  std::string_view method;
  std::string_view target;  ///< the path with its query
  std::string_view referer;
  std::string_view user_agent;
};

class AccessLogParser {
 public:
  /// The request of a line; its views last until the next call, and as long as the line. The error
  /// says what the line lacks.
  [[nodiscard]] Result<LoggedRequest> parse(std::string_view line);

 private:
  std::string request_, referer_, user_agent_;  // with their escapes undone
};

}  // namespace weir::cli
