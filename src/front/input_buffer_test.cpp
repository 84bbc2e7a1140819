// SPDX-License-Identifier: Apache-2.0
#include "front/input_buffer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace weir::front {
namespace {

constexpr std::size_t bound = 100'000;

/// Reads as much of `text` as there is room for.
std::size_t read_into(InputBuffer& buffer, std::string_view text) {
  const auto room = buffer.room();
  const auto count = std::min(room.size(), text.size());
  std::memcpy(room.data(), text.data(), count);
  buffer.commit(count);
  return count;
}

TEST(InputBuffer, TakesNoMemoryBeforeTheFirstRead) {
  InputBuffer buffer(bound);
  EXPECT_EQ(buffer.capacity(), 0u);
  EXPECT_TRUE(buffer.view().empty());
  EXPECT_EQ(buffer.room().size(), InputBuffer::first_capacity);
}

TEST(InputBuffer, SmallRequestsNeverMakeItGrow) {
  InputBuffer buffer(bound);
  for (int i = 0; i < 10'000; ++i) {
    read_into(buffer, std::string(100, 'x'));
    buffer.consume(100);
  }
  EXPECT_EQ(buffer.capacity(), InputBuffer::first_capacity);
}

TEST(InputBuffer, AReadThatFillsItMakesItGrow) {
  InputBuffer buffer(bound);
  EXPECT_EQ(read_into(buffer, std::string(50'000, 'x')), InputBuffer::first_capacity);
  buffer.consume(buffer.size());
  EXPECT_EQ(buffer.room().size(), 2 * InputBuffer::first_capacity);
}

TEST(InputBuffer, HoldsWhatMayStayUneatenAndItsMemoryIsBounded) {
  InputBuffer buffer(bound);
  std::size_t held = 0;
  while (held < bound) held += read_into(buffer, std::string(bound, 'x'));
  EXPECT_LE(buffer.capacity(), bound + InputBuffer::most_read);
}

TEST(InputBuffer, WhatIsEatenWhileAReadIsUnderWayMovesNothing) {
  InputBuffer buffer(bound);
  read_into(buffer, "abc");
  const auto room = buffer.room();
  buffer.consume(3);
  std::memcpy(room.data(), "def", 3);
  buffer.commit(3);
  EXPECT_EQ(buffer.view(), "def");
}

TEST(InputBuffer, PropertyBytesComeOutAsTheyWentIn) {
  rc::check([] {
    InputBuffer buffer(bound);
    std::string expected;
    unsigned char next = 0;
    for (const auto& [reads, eats] : *rc::gen::container<std::vector<std::pair<int, int>>>(
             rc::gen::pair(rc::gen::inRange(0, 9000), rc::gen::inRange(0, 12000)))) {
      if (buffer.size() < bound) {
        RC_ASSERT(!buffer.room().empty());
        std::string bytes;
        for (int i = 0; i < reads; ++i) bytes += static_cast<char>(next++);
        expected.append(bytes, 0, read_into(buffer, bytes));
      }
      RC_ASSERT(buffer.view() == expected);
      const auto eaten = std::min(static_cast<std::size_t>(eats), buffer.size());
      buffer.consume(eaten);
      expected.erase(0, eaten);
      RC_ASSERT(buffer.view() == expected);
    }
  });
}

}  // namespace
}  // namespace weir::front
