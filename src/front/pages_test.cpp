// SPDX-License-Identifier: Apache-2.0
#include "front/pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::front {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

struct Source final : StatusSource {
  std::optional<std::string> reason;
  [[nodiscard]] std::optional<std::string> why_not_ready() const override { return reason; }
  [[nodiscard]] Metrics metrics() const override { return {}; }
};

class PagesTest : public testing::Test {
 protected:
  std::optional<std::string> ask(std::string_view method, std::string_view target) {
    HttpRequest request;
    request.method = method;
    request.target = target;
    request.keep_alive = true;
    std::string out;
    if (!answer_page(request, source, "", out)) return std::nullopt;
    return out;
  }

  Source source;
};

TEST_F(PagesTest, HealthIsOkWheneverItIsAsked) {
  source.reason = "loading";
  EXPECT_EQ(ask("GET", "/healthz"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n"
            "Cache-Control: no-store\r\n\r\nok\n");
}

TEST_F(PagesTest, B103_NotReadyIsToldWithTheReason) {
  source.reason = "no configuration is loaded";
  const auto not_ready = ask("GET", "/readyz").value();
  EXPECT_THAT(not_ready, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(not_ready, EndsWith("\r\n\r\nno configuration is loaded\n"));
  source.reason.reset();
  EXPECT_THAT(ask("GET", "/readyz?verbose").value(), EndsWith("\r\n\r\nready\n"));
}

TEST_F(PagesTest, MetricsAreInTheTextFormat) {
  const auto metrics = ask("GET", "/metrics").value();
  EXPECT_THAT(metrics, HasSubstr("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  EXPECT_THAT(metrics, HasSubstr("# TYPE weir_keys gauge\n"));
}

TEST_F(PagesTest, PagesAreReadAndNothingElse) {
  EXPECT_THAT(ask("HEAD", "/healthz").value(),
              EndsWith("Content-Length: 3\r\nCache-Control: no-store\r\n\r\n"));
  const auto posted = ask("POST", "/metrics").value();
  EXPECT_THAT(posted, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(posted, HasSubstr("Allow: GET, HEAD\r\n"));
}

TEST_F(PagesTest, OtherPathsAreNotPages) {
  for (const auto* target : {"/", "/metrics/", "/healthz2", "/v1/check", "*"}) {
    EXPECT_EQ(ask("GET", target), std::nullopt) << target;
  }
}

}  // namespace
}  // namespace weir::front
