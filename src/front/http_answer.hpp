// SPDX-License-Identifier: Apache-2.0
// HTTP answers, written into a connection's output.
#pragma once

#include <string>
#include <string_view>

#include <weir/clock.hpp>

#include "front/headers.hpp"
#include "front/http_request.hpp"

namespace weir::front {

/// Has a peer that expects it go on with the body of its request.
inline constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

/// What an answer has to know of the request that it answers.
struct Exchange {
  bool head_only = false;  ///< HEAD: all of the answer but its body
  bool http_1_0 = false;
  bool keep_alive = true;

  [[nodiscard]] static Exchange of(const HttpRequest& request) noexcept {
    return {request.method == "HEAD", request.http_1_0, request.keep_alive};
  }
};

/// The `Date` field, made once a second.
class DateField {
 public:
  /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` with its line end. Holds until the next call.
  [[nodiscard]] std::string_view at(Time now);

 private:
  std::chrono::sys_seconds second_ = std::chrono::sys_seconds::min();
  std::string line_;
};

struct Answer {
  int status = 200;
  std::string_view content_type;  ///< none: no body either
  std::string_view body;
  const HeaderFields* fields = nullptr;
  std::string_view more_fields;  ///< further whole lines, each with its line end
};

/// Appends the answer. `date` is a whole line.
void append_answer(const Exchange& exchange, std::string_view date, const Answer& answer,
                   std::string& out);

/// Appends a problem+json answer that says `detail`. `more_fields` as in `Answer`.
void append_problem_answer(const Exchange& exchange, std::string_view date, int status,
                           std::string_view detail, std::string& out,
                           std::string_view more_fields = {});

}  // namespace weir::front
