// SPDX-License-Identifier: Apache-2.0
// For tests: an HTTP door over a real engine and table, asked by calling its sessions.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "front/http/door.hpp"
#include "rules/config.hpp"
#include "store/table.hpp"

namespace weir::front {

/// An answer taken apart.
struct Reply {
  int status = 0;
  std::map<std::string, std::string> fields;
  std::string body;

  [[nodiscard]] boost::json::value json() const { return boost::json::parse(body); }
};

/// Takes the first answer off `bytes`.
inline Reply take_reply(std::string& bytes, bool to_head = false) {
  Reply reply;
  const auto end = bytes.find("\r\n\r\n");
  if (end == bytes.npos) {
    ADD_FAILURE() << "no answer in '" << bytes << "'";
    return reply;
  }
  reply.status = std::stoi(bytes.substr(9, 3));
  for (auto at = bytes.find("\r\n"); at < end;) {
    const auto next = bytes.find("\r\n", at + 2);
    const auto line = bytes.substr(at + 2, next - at - 2);
    const auto colon = line.find(": ");
    const bool first = reply.fields.emplace(line.substr(0, colon), line.substr(colon + 2)).second;
    EXPECT_TRUE(first) << "twice: " << line;
    at = next;
  }
  const std::size_t size = to_head ? 0 : std::stoul(reply.fields.at("Content-Length"));
  reply.body = bytes.substr(end + 4, size);
  bytes.erase(0, end + 4 + size);
  return reply;
}

struct ReadySource final : StatusSource {
  std::optional<std::string> reason;
  [[nodiscard]] std::optional<std::string> why_not_ready() const override { return reason; }
  [[nodiscard]] Metrics metrics() const override { return {}; }
};

struct CountingWaker final : Waker {
  int wakes = 0;
  void wake() noexcept override { ++wakes; }
};

/// A connection without a socket.
class TestClient {
 public:
  TestClient(SessionFactory& factory, const Clock& clock, const char* address = "198.18.0.1")
      : clock_(clock),
        session_(factory.make(
            {.address = address == nullptr ? std::nullopt : rules::Address::parse(address),
             .waker = waker.get()})) {}

  /// Hands in `bytes` and what was left before, and returns what is answered at once.
  std::string send(std::string_view bytes) {
    input_ += bytes;
    std::string output;
    do {
      const std::string copy = input_;  // the input moves from call to call
      progress = session_->on_bytes(clock_.now(), copy, output);
      input_.erase(0, progress.eaten);
    } while (progress.next == Progress::Next::again);
    return output;
  }

  Reply ask(std::string_view bytes) {
    auto output = send(bytes);
    auto reply = take_reply(output, bytes.starts_with("HEAD"));
    EXPECT_EQ(output, "");
    return reply;
  }

  std::string wake() {
    std::string output;
    progress = session_->on_wake(clock_.now(), output);
    return output;
  }

  void close() { session_->on_close(clock_.now()); }
  [[nodiscard]] bool idle() const { return session_->idle(); }

  std::unique_ptr<CountingWaker> waker = std::make_unique<CountingWaker>();  // stays where it is
  Progress progress;

 private:
  const Clock& clock_;
  std::unique_ptr<Session> session_;
  std::string input_;
};

class HttpTest : public testing::Test {
 protected:
  /// Starts afresh, with an empty table.
  void load(const std::string& yaml) {
    sessions.reset();
    table = make_table();
    load(yaml, *table);
  }

  void load(const std::string& yaml, Store& store) {
    const auto loaded = rules::parse_config(yaml, "test.yaml");
    for (const auto& problem : loaded.problems) {
      if (!problem.warning) ADD_FAILURE() << problem.to_string();
    }
    sessions.reset();
    engine = std::make_unique<limiter::Engine>(loaded.config.value().rules, store, KeySecret{1, 2});
    sessions = make_http_sessions({*engine, source, headers, latency, limits}, clock);
  }

  [[nodiscard]] TestClient client(const char* address = "198.18.0.1") {
    return {*sessions, clock, address};
  }

  Reply ask(std::string_view bytes) {
    auto one = client();
    auto reply = one.ask(bytes);
    one.close();
    return reply;
  }

  static std::string check_bytes(std::string_view body) {
    return "POST /v1/check HTTP/1.1\r\nHost: weir\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
  }

  /// The results of a check that is well formed.
  boost::json::array check(std::string_view body) {
    const auto reply = ask(check_bytes(body));
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.fields.at("Content-Type"), "application/json");
    return reply.json().at("results").as_array();
  }

  /// What a check that is not well formed is told.
  std::string complaint(std::string_view body) {
    const auto reply = ask(check_bytes(body));
    EXPECT_EQ(reply.status, 400) << body << reply.body;
    EXPECT_EQ(reply.fields.at("Content-Type"), "application/problem+json");
    return std::string(reply.json().at("detail").as_string());
  }

  static std::string auth_bytes(std::string_view fields, std::string_view query = "") {
    return "GET /v1/auth" + std::string(query) + " HTTP/1.1\r\nHost: weir\r\n" +
           std::string(fields) + "\r\n";
  }

  static std::unique_ptr<store::Table> make_table() {
    return std::make_unique<store::Table>(
        store::TableOptions{.memory_bytes = std::size_t{1} << 20});
  }

  ManualClock clock{Time{std::chrono::seconds{1'700'000'000}}};
  std::unique_ptr<store::Table> table = make_table();
  ReadySource source;
  LiveHeaderConfig headers;
  LatencyBook latency;
  HttpLimits limits;
  std::unique_ptr<limiter::Engine> engine;
  std::unique_ptr<SessionFactory> sessions;
};

}  // namespace weir::front
