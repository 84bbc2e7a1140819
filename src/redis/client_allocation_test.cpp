// SPDX-License-Identifier: Apache-2.0
// A question to the store takes no memory from the system, once as many have been under way as ever
// are: through the machines and their shell, with a real server.
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <new>

#include "redis/client.hpp"
#include "redis/client_test_support.hpp"
#include "redis/server_test_support.hpp"

namespace {

thread_local std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace weir::redis {
namespace {

/// Asks again as soon as it is answered.
struct Question : Exchange {
  Client* client = nullptr;
  std::size_t* answered = nullptr;
};

TEST(Client, AllocatesNothingInTheLongRun) {
  const TestServer server;
  const Options options = parse_url(server.url()).value();
  ClientStats stats;
  boost::asio::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  std::array<Question, 100> questions;
  Client client(io, options, SteadyClock::shared(), stats);
  std::size_t answered = 0;
  for (auto& question : questions) {
    question.client = &client;
    question.answered = &answered;
    for (const std::string_view verb : {"INCR", "GET"}) {
      wire::resp::append_command(question.bytes, std::array<std::string_view, 2>{verb, "k"});
      question.ends.push_back(static_cast<std::uint32_t>(question.bytes.size()));
    }
    question.on_end = [](Exchange& exchange, Exchange::End end) noexcept {
      auto& self = static_cast<Question&>(exchange);
      if (end != Exchange::End::replied) return;
      ++*self.answered;
      self.client->send(self);
    };
    client.send(question);
  }
  ASSERT_TRUE(run_until(io, [&] { return answered >= 20'000; }));
  const std::size_t before = allocations;
  while (answered < 40'000) io.run_one();
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace weir::redis
