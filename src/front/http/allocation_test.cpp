// SPDX-License-Identifier: Apache-2.0
// In the long run deciding over HTTP allocates nothing. A program of its own: it counts every
// allocation.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "front/http/session_fixture.hpp"

namespace {
std::size_t allocations = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace weir::front {
namespace {

class AllocationTest : public HttpTest {
 protected:
  void SetUp() override {
    load(R"(
limits: {api: 1000000/s}
rules:
  - name: pages
    match: {path: /pages/**}
    key: "header:x-api-key | ip"
    limits: [1000000/s, 1000000/h]
  - {name: refused, match: {path: /refused}, key: ip, limits: [1/day fixed_window]}
  - {name: seen, limits: [10/s], shadow: true}
)");
  }

  /// How often a connection that has sent `bytes` for a while allocates when it goes on.
  std::size_t allocations_of(const std::string& bytes, int status) {
    const auto session = sessions->make({.address = rules::Address::parse("198.18.0.1")});
    std::string output;
    const auto send = [&] {
      output.clear();
      EXPECT_EQ(session->on_bytes(clock.now(), bytes, output).eaten, bytes.size());
      clock.advance(std::chrono::microseconds{10});
    };
    for (int i = 0; i < 100; ++i) send();
    const auto before = allocations;
    for (int i = 0; i < 1000; ++i) send();
    const auto after = allocations;
    EXPECT_EQ(output.substr(9, 3), std::to_string(status));
    session->on_close(clock.now());
    return after - before;
  }
};

TEST_F(AllocationTest, Checks) {
  EXPECT_EQ(
      allocations_of(check_bytes(R"({"requests": [{"limit": "api", "key": ["user-1"]}]})"), 200),
      0u);
  EXPECT_EQ(allocations_of(check_bytes(R"({"requests": [
      {"rate": "10/s burst 50", "key": ["a", "with \"escapes\" \u00e9", "c"], "verb": "peek"},
      {"all": [{"limit": "api", "key": "b"}, {"rate": "1000/day sliding_counter", "key": "b"}]},
      {"request": {"path": "/pages/1?q=2", "headers": {"x-api-key": ["k", "l"]}, "ip": "::1"}}]})"),
                           200),
            0u);
}

TEST_F(AllocationTest, AdmittedRequestsOfProxies) {
  EXPECT_EQ(
      allocations_of(auth_bytes("X-Forwarded-Method: GET\r\nX-Forwarded-Uri: /pages/1/a%20b\r\n"
                                "X-Forwarded-For: 198.18.0.9\r\nX-Api-Key: k\r\n"),
                     200),
      0u);
}

TEST_F(AllocationTest, RefusedRequestsOfProxies) {
  headers.set({.reset_as_epoch = true, .retry_jitter = std::chrono::seconds{5}});
  EXPECT_EQ(allocations_of(auth_bytes("X-Forwarded-Uri: /refused\r\n"), 429), 0u);
  EXPECT_EQ(allocations_of(auth_bytes("X-Forwarded-Uri: /refused\r\n", "?deny=403"), 403), 0u);
}

TEST_F(AllocationTest, Pipelines) {
  std::string bytes;
  for (int i = 0; i < 20; ++i) {
    bytes += auth_bytes("X-Forwarded-Uri: /pages/1\r\n");
    bytes += check_bytes(R"({"requests": [{"limit": "api", "key": "p"}]})");
  }
  EXPECT_EQ(allocations_of(bytes, 200), 0u);
}

}  // namespace
}  // namespace weir::front
