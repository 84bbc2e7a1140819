// SPDX-License-Identifier: Apache-2.0
#include "front/http_answer.hpp"

#include <gtest/gtest.h>

namespace weir::front {
namespace {

using namespace std::chrono_literals;

std::string answer(const Exchange& exchange, const Answer& told) {
  std::string out;
  append_answer(exchange, "Date: D\r\n", told, out);
  return out;
}

TEST(HttpAnswer, AnAnswerIsHeadAndBody) {
  HeaderFields fields;
  fields.add("Retry-After", std::uint64_t{7});
  EXPECT_EQ(answer({}, {.status = 429,
                        .content_type = "text/plain",
                        .body = "no\n",
                        .fields = &fields,
                        .more_fields = "X: y\r\n"}),
            "HTTP/1.1 429 Too Many Requests\r\nDate: D\r\nContent-Type: text/plain\r\n"
            "Content-Length: 3\r\nRetry-After: 7\r\nX: y\r\n\r\nno\n");
}

TEST(HttpAnswer, AHeadGetsNoBodyButItsLength) {
  EXPECT_EQ(answer({.head_only = true}, {.status = 200,
                                         .content_type = "text/plain",
                                         .body = "ok\n",
                                         .fields = nullptr,
                                         .more_fields = {}}),
            "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n");
}

TEST(HttpAnswer, WhatBecomesOfTheConnectionIsSaidWhereItIsNotPlain) {
  const Answer told{
      .status = 200, .content_type = {}, .body = {}, .fields = nullptr, .more_fields = {}};
  const std::string begin = "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 0\r\n";
  EXPECT_EQ(answer({}, told), begin + "\r\n");
  EXPECT_EQ(answer({.keep_alive = false}, told), begin + "Connection: close\r\n\r\n");
  EXPECT_EQ(answer({.http_1_0 = true}, told), begin + "Connection: keep-alive\r\n\r\n");
  EXPECT_EQ(answer({.http_1_0 = true, .keep_alive = false}, told),
            begin + "Connection: close\r\n\r\n");
}

TEST(HttpAnswer, AProblemSaysWhatIsWrong) {
  std::string out;
  append_problem_answer({}, "", 404, "There is no \"x\".", out, "Allow: GET\r\n");
  const std::string body =
      R"({"type":"about:blank","title":"Not Found","status":404,"detail":"There is no \"x\"."})"
      "\n";
  EXPECT_EQ(out,
            "HTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json\r\n"
            "Content-Length: " +
                std::to_string(body.size()) + "\r\nAllow: GET\r\n\r\n" + body);
}

TEST(HttpAnswer, EveryStatusThatIsGivenHasItsLine) {
  for (const int status : {200, 400, 403, 404, 405, 413, 417, 429, 431, 500, 503, 505}) {
    const auto line = answer(
        {},
        {.status = status, .content_type = {}, .body = {}, .fields = nullptr, .more_fields = {}});
    EXPECT_EQ(line.substr(0, 13), "HTTP/1.1 " + std::to_string(status) + " ");
  }
}

TEST(DateField, IsThatOfRfc9110) {
  DateField date;
  EXPECT_EQ(date.at(Time{784'111'777s}), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
  EXPECT_EQ(date.at(Time{784'111'777s + 999ms}), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
  EXPECT_EQ(date.at(Time{784'111'778s}), "Date: Sun, 06 Nov 1994 08:49:38 GMT\r\n");
  EXPECT_EQ(date.at(Time{}), "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n");
  EXPECT_EQ(date.at(latest_time), "Date: Thu, 20 Feb 2116 23:53:38 GMT\r\n");
}

}  // namespace
}  // namespace weir::front
