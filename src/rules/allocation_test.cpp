// SPDX-License-Identifier: Apache-2.0
// Matching allocates nothing once its memory has grown: every allocation of this binary is counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "rules/test_request.hpp"

namespace {
thread_local std::size_t allocations = 0;
}  // namespace

// Where one of a pair is inlined and the other is not, GCC believes that they do not belong
// together.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace weir::rules {
namespace {

constexpr std::string_view everything = R"(
clients: {trusted_proxies: 10.0.0.0/8, header: forwarded}
plans:
  by: {key: "lower(bearer) | cookie:plan-key-of-some-length", map: {key-1: pro}}
  default: free
rules:
  - {name: health, match: {path: [/healthz, /static/**]}, exempt: true}
  - name: api
    match:
      method: [GET, POST]
      host: "*.example.com"
      path: [/v1/*/items, /v1/**]
      header: {x-kind: "a*z"}
      cidr: 198.51.100.0/24
    key:
      - known(lower(bearer)) | ip
      - query:user name | 'nobody'
      - cookie:session | host
      - path
      - route
      - method
    cost: [{path: /v1/export/**, cost: 9}, {cost: 2}]
    limits: {free: [1/s, 5/min], pro: [10/s, 50/min]}
  - {name: shadow, key: "entry:tenant of the caller | ip", limits: [1/s], shadow: true}
)";

TEST(RuleSet, MatchingAllocatesNothingInTheLongRun) {
  const auto rules = rules_of(everything);
  TestRequest test;
  test.host = "A-Long-Name-Of-A-Host.In-A-Long-Domain.Example.com:8443";
  test.target =
      "/v1//x/../a-long-segment-of-a-path/%69tems;v=1"
      "?other=1&user+name=somebody+with+a+long+name";
  test.headers = {{"Forwarded", "for=203.0.113.9, for=\"198.51.100.7:1234\";by=10.0.0.5"},
                  {"X-Kind", "a long value that ends in z"},
                  {"Authorization", "Bearer  KEY-1"},
                  {"Cookie", "a=b; session=0123456789abcdef0123456789abcdef"}};
  test.entries = {{"tenant of the caller", std::string(300, 't')}};
  test.peer = "10.0.0.5";
  test.with([&](const Request& request) {
    Match match;
    rules->match(request, KeySecret{1, 2}, match);
    ASSERT_EQ(match.hits.size(), 3u);
    const auto before = allocations;
    for (int i = 0; i < 100; ++i) rules->match(request, KeySecret{1, 2}, match);
    EXPECT_EQ(allocations, before);
  });
}

TEST(RuleSet, AllocationsAreCountedHere) {
  const auto before = allocations;
  const auto text = std::make_unique<std::string>(100, 'a');
  EXPECT_GT(allocations, before) << "else the test above could not fail";
}

}  // namespace
}  // namespace weir::rules
