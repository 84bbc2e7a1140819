// SPDX-License-Identifier: Apache-2.0
// The sliding log's ring against a plain list of entries.
#include "limit/log_ring.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <deque>
#include <numeric>
#include <vector>

namespace weir {
namespace {

struct Plain {
  std::int64_t at_ns;
  std::uint64_t units;
};

/// What a ring promises, kept as plainly as can be.
class PlainLog {
 public:
  void push(std::int64_t at_ns, std::uint64_t units) {
    if (units == 0) return;
    if (entries.empty() || at_ns > entries.back().at_ns) entries.push_back({at_ns, 0});
    Plain& newest = entries.back();
    newest.units += std::min(units, LogRing::most_units_of_entry - newest.units);
  }

  void take_from_newest(std::uint64_t units) {
    while (units > 0 && !entries.empty()) {
      const std::uint64_t taken = std::min(units, entries.back().units);
      entries.back().units -= taken;
      units -= taken;
      if (entries.back().units == 0) entries.pop_back();
    }
  }

  void merge_oldest() {
    const std::uint64_t both = entries[0].units + entries[1].units;
    entries.pop_front();
    entries.front().units = std::min(both, LogRing::most_units_of_entry);
  }

  [[nodiscard]] std::uint64_t used_by_oldest(std::size_t count) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += entries[i].units;
    return sum;
  }

  [[nodiscard]] std::size_t count_until(std::int64_t at_ns) const {
    std::size_t count = 0;
    while (count < entries.size() && entries[count].at_ns <= at_ns) ++count;
    return count;
  }

  [[nodiscard]] std::size_t count_holding(std::uint64_t units) const {
    std::size_t count = 0;
    while (count < entries.size() && used_by_oldest(count) < units) ++count;
    return count;
  }

  std::deque<Plain> entries;
};

void expect_same(const LogRing& ring, const PlainLog& plain) {
  RC_ASSERT(ring.size() == plain.entries.size());
  RC_ASSERT(ring.empty() == plain.entries.empty());
  for (std::size_t i = 0; i < ring.size(); ++i) {
    RC_ASSERT(ring[i].at_ns == plain.entries[i].at_ns);
    RC_ASSERT(ring.used_by_oldest(i) == plain.used_by_oldest(i));
  }
  RC_ASSERT(ring.used() == plain.used_by_oldest(plain.entries.size()));
}

void expect_same_answers(const LogRing& ring, const PlainLog& plain, std::int64_t now_ns) {
  const auto at_ns = *rc::gen::inRange<std::int64_t>(-1, now_ns + 2);
  RC_ASSERT(ring.count_until(at_ns) == plain.count_until(at_ns));
  const auto units = *rc::gen::inRange<std::uint64_t>(0, std::min(ring.used(), 100ul) + 2);
  RC_ASSERT(ring.count_holding(units) == plain.count_holding(units));
}

std::uint64_t random_units() {
  return *rc::gen::weightedOneOf<std::uint64_t>(
      {{9, rc::gen::inRange<std::uint64_t>(0, 10)},
       {1, rc::gen::element(LogRing::most_units_of_entry - 1, ~std::uint64_t{0})}});
}

TEST(LogRing, DoesWhatAPlainListDoes) {
  const bool holds = rc::check([] {
    std::deque<std::vector<LogEntry>> memories;
    memories.emplace_back(1);
    LogRing ring(memories.back());
    PlainLog plain;
    std::int64_t now_ns = 0;
    for (int i = 0; i < 100; ++i) {
      now_ns += *rc::gen::inRange<std::int64_t>(0, 3);
      if (!ring.has_room()) {
        ring.move_to(memories.emplace_back(memories.back().size() * 2));
        expect_same(ring, plain);
      }
      const int action = *rc::gen::inRange(0, 8);
      if (action < 5) {
        const std::uint64_t units = random_units();
        ring.push(now_ns, units);
        plain.push(now_ns, units);
      } else if (action == 5) {
        const std::uint64_t units = random_units();
        ring.take_from_newest(units);
        plain.take_from_newest(units);
      } else if (action == 6) {
        const auto count = *rc::gen::inRange<std::size_t>(0, ring.size() + 1);
        ring.drop_oldest(count);
        plain.entries.erase(plain.entries.begin(),
                            plain.entries.begin() + static_cast<std::ptrdiff_t>(count));
      } else if (ring.size() >= 2) {
        ring.merge_oldest();
        plain.merge_oldest();
      }
      expect_same(ring, plain);
      expect_same_answers(ring, plain, now_ns);
    }
  });
  EXPECT_TRUE(holds);
}

TEST(LogRing, SumsMayPassTheEndOf64Bits) {
  std::array<LogEntry, 4> memory;
  LogRing ring(memory);
  constexpr std::uint64_t step = LogRing::most_units_of_entry;
  // 2^31 such steps would wrap; the ring is brought there by its own entries.
  ring.push(1, step);
  memory[0].total = ~std::uint64_t{0} - 2;
  ring.drop_oldest(1);
  ring.push(2, 2);
  ring.push(3, 5);
  EXPECT_EQ(ring.used(), 7u);
  EXPECT_EQ(ring.count_holding(2), 1u);
  EXPECT_EQ(ring.count_holding(3), 2u);
  ring.take_from_newest(4);
  EXPECT_EQ(ring.used(), 3u);
  ring.merge_oldest();
  EXPECT_EQ(ring.used(), 3u);
}

TEST(LogRing, AFreshOneHasNoMemoryAndNoRoom) {
  LogRing ring;
  EXPECT_TRUE(ring.empty());
  EXPECT_FALSE(ring.has_room());
  EXPECT_EQ(ring.used(), 0u);
  EXPECT_EQ(ring.count_until(5), 0u);
  ring.take_from_newest(5);
  EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace weir
