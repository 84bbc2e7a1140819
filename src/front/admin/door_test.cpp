// SPDX-License-Identifier: Apache-2.0
#include "front/admin/door.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::front {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Next = Progress::Next;

struct Source final : StatusSource {
  [[nodiscard]] std::optional<std::string> why_not_ready() const override { return std::nullopt; }
  [[nodiscard]] Metrics metrics() const override { return {}; }
};

class AdminTest : public testing::Test {
 protected:
  std::string send(std::string_view bytes) {
    std::string output;
    progress = session->on_bytes(Time{}, bytes, output);
    return output;
  }
  static std::string get(std::string_view target) {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n";
  }

  Source source;
  std::unique_ptr<SessionFactory> factory = make_admin_sessions(source);
  std::unique_ptr<Session> session = factory->make({});
  Progress progress;
};

TEST_F(AdminTest, ThePagesAreServed) {
  EXPECT_THAT(send(get("/healthz")), EndsWith("\r\n\r\nok\n"));
  EXPECT_THAT(send(get("/readyz")), EndsWith("\r\n\r\nready\n"));
  EXPECT_THAT(send(get("/metrics")), HasSubstr("weir_build_info"));
  EXPECT_EQ(progress.next, Next::read);
  EXPECT_TRUE(session->idle());
}

TEST_F(AdminTest, NothingElseIs) {
  for (const auto* target : {"/v1/check", "/v1/auth", "/"}) {
    const auto answer = send(get(target));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 404 "));
    EXPECT_THAT(answer, HasSubstr("GET /metrics"));
  }
}

TEST_F(AdminTest, SeveralAtOnceAreAnsweredInOrder) {
  const auto answers = send(get("/healthz") + get("/readyz"));
  EXPECT_LT(answers.find("ok\n"), answers.find("ready\n"));
  EXPECT_EQ(progress.eaten, get("/healthz").size() + get("/readyz").size());
}

TEST_F(AdminTest, ATurnIsBounded) {
  std::string many;
  for (int i = 0; i < 300; ++i) many += get("/metrics");
  EXPECT_LT(send(many).size(), std::size_t{400} << 10);
  EXPECT_EQ(progress.next, Next::again);
  EXPECT_LT(progress.eaten, many.size());
}

TEST_F(AdminTest, TheConnectionEndsWhereItShould) {
  EXPECT_THAT(send("GET /healthz HTTP/1.0\r\n\r\n"), HasSubstr("Connection: close"));
  EXPECT_EQ(progress.next, Next::close);
  EXPECT_THAT(send("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_EQ(progress.next, Next::close);
}

TEST_F(AdminTest, ABodyIsAwaitedAndIgnored) {
  EXPECT_EQ(
      send("GET /healthz HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"),
      "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_FALSE(session->idle());
  EXPECT_THAT(send("x"), EndsWith("ok\n"));
}

}  // namespace
}  // namespace weir::front
