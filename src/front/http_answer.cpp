// SPDX-License-Identifier: Apache-2.0
#include "front/http_answer.hpp"

#include <fmt/chrono.h>

#include <charconv>

#include "front/json_string.hpp"

namespace weir::front {

namespace {

struct StatusText {
  int status;
  std::string_view line;  // with its line end
  std::string_view reason;
};

constexpr StatusText status_texts[] = {
    {200, "HTTP/1.1 200 OK\r\n", "OK"},
    {429, "HTTP/1.1 429 Too Many Requests\r\n", "Too Many Requests"},
    {400, "HTTP/1.1 400 Bad Request\r\n", "Bad Request"},
    {403, "HTTP/1.1 403 Forbidden\r\n", "Forbidden"},
    {404, "HTTP/1.1 404 Not Found\r\n", "Not Found"},
    {405, "HTTP/1.1 405 Method Not Allowed\r\n", "Method Not Allowed"},
    {413, "HTTP/1.1 413 Content Too Large\r\n", "Content Too Large"},
    {417, "HTTP/1.1 417 Expectation Failed\r\n", "Expectation Failed"},
    {431, "HTTP/1.1 431 Request Header Fields Too Large\r\n", "Request Header Fields Too Large"},
    {503, "HTTP/1.1 503 Service Unavailable\r\n", "Service Unavailable"},
    {505, "HTTP/1.1 505 HTTP Version Not Supported\r\n", "HTTP Version Not Supported"},
    {500, "HTTP/1.1 500 Internal Server Error\r\n", "Internal Server Error"},
};

const StatusText& text_of(int status) noexcept {
  for (const auto& text : status_texts) {
    if (text.status == status) return text;
  }
  return *std::rbegin(status_texts);
}

void append_number(std::uint64_t number, std::string& out) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_connection(const Exchange& exchange, std::string& out) {
  if (!exchange.keep_alive) {
    out += "Connection: close\r\n";
  } else if (exchange.http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
}

}  // namespace

std::string_view DateField::at(Time now) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  if (second != second_) {
    second_ = second;
    line_ = fmt::format("Date: {:%a, %d %b %Y %H:%M:%S} GMT\r\n",
                        fmt::gmtime(second.time_since_epoch().count()));
  }
  return line_;
}

void append_answer(const Exchange& exchange, std::string_view date, const Answer& answer,
                   std::string& out) {
  out += text_of(answer.status).line;
  out += date;
  if (!answer.content_type.empty()) {
    out += "Content-Type: ";
    out += answer.content_type;
    out += "\r\n";
  }
  out += "Content-Length: ";
  append_number(answer.body.size(), out);
  out += "\r\n";
  if (answer.fields != nullptr) {
    for (const auto& field : *answer.fields) {
      out += field.name();
      out += ": ";
      out += field.value();
      out += "\r\n";
    }
  }
  out += answer.more_fields;
  append_connection(exchange, out);
  out += "\r\n";
  if (!exchange.head_only) out += answer.body;
}

void append_problem_answer(const Exchange& exchange, std::string_view date, int status,
                           std::string_view detail, std::string& out,
                           std::string_view more_fields) {
  std::string body = R"({"type":"about:blank","title":)";
  append_json_string(text_of(status).reason, body);
  body += R"(,"status":)";
  append_number(static_cast<std::uint64_t>(status), body);
  body += R"(,"detail":)";
  append_json_string(detail, body);
  body += "}\n";
  append_answer(exchange, date,
                {.status = status,
                 .content_type = "application/problem+json",
                 .body = body,
                 .fields = nullptr,
                 .more_fields = more_fields},
                out);
}

}  // namespace weir::front
