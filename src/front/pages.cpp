// SPDX-License-Identifier: Apache-2.0
#include "front/pages.hpp"

namespace weir::front {

namespace {

constexpr std::string_view plain_text = "text/plain; charset=utf-8";
constexpr std::string_view not_stored = "Cache-Control: no-store\r\n";

bool is_page(std::string_view path) noexcept {
  return path == "/healthz" || path == "/readyz" || path == "/metrics";
}

void append_page(const Exchange& exchange, std::string_view date, int status,
                 std::string_view content_type, std::string_view body, std::string& out) {
  append_answer(exchange, date,
                {.status = status,
                 .content_type = content_type,
                 .body = body,
                 .fields = nullptr,
                 .more_fields = not_stored},
                out);
}

}  // namespace

bool answer_page(const HttpRequest& request, const StatusSource& source, std::string_view date,
                 std::string& out) {
  const auto path = request.path();
  if (!is_page(path)) return false;
  const auto exchange = Exchange::of(request);
  if (request.method != "GET" && request.method != "HEAD") {
    append_problem_answer(exchange, date, 405, "Pages are read with GET or HEAD.", out,
                          "Allow: GET, HEAD\r\n");
  } else if (path == "/metrics") {
    append_page(exchange, date, 200, "text/plain; version=0.0.4; charset=utf-8",
                prometheus_text(source.metrics()), out);
  } else if (path == "/healthz") {
    append_page(exchange, date, 200, plain_text, "ok\n", out);
  } else if (const auto reason = source.why_not_ready()) {
    append_page(exchange, date, 503, plain_text, *reason + "\n", out);
  } else {
    append_page(exchange, date, 200, plain_text, "ready\n", out);
  }
  return true;
}

}  // namespace weir::front
