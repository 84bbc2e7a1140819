// SPDX-License-Identifier: Apache-2.0
// Memory for logs: whatever begins, grows and ends in whatever order, no two logs share a byte, and
// nothing is lost.
#include "store/log_slab.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

namespace weir::store {
namespace {

constexpr std::size_t small_bytes = 16 << 10;

/// Fills the log, each entry marked as its own.
void mark(LogSlab& slab, LogSlab::Handle log) {
  LogRing& ring = slab.head(log).ring;
  while (ring.has_room()) ring.push(static_cast<std::int64_t>(ring.size()), log + 1u);
}

void expect_marked(LogSlab& slab, LogSlab::Handle log) {
  const LogRing& ring = slab.head(log).ring;
  RC_ASSERT(ring.used() == ring.size() * (log + 1u));
  for (std::size_t at = 1; at < ring.size(); ++at) RC_ASSERT(ring[at - 1].at_ns < ring[at].at_ns);
}

/// The most logs of one entry that fit.
std::size_t room_for_logs(LogSlab& slab) {
  std::vector<LogSlab::Handle> logs;
  while (const auto log = slab.begin(0)) logs.push_back(*log);
  for (const auto log : logs) slab.end(log);
  return logs.size();
}

TEST(LogSlab, LogsNeverShareMemoryAndGiveAllOfItBack) {
  EXPECT_TRUE(rc::check([] {
    LogSlab slab(small_bytes);
    const std::size_t room = room_for_logs(slab);
    std::vector<LogSlab::Handle> logs;
    const auto steps = *rc::gen::inRange(0, 400);
    for (int step = 0; step < steps; ++step) {
      const auto pick = [&] { return *rc::gen::inRange<std::size_t>(0, logs.size()); };
      const int what = logs.empty() ? 0 : *rc::gen::inRange(0, 5);
      if (what <= 1) {
        if (const auto log = slab.begin(7)) {
          logs.push_back(*log);
          mark(slab, *log);
        }
      } else if (what <= 3) {
        const auto log = logs[pick()];
        if (slab.grow(log)) mark(slab, log);
      } else {
        const auto at = pick();
        slab.end(logs[at]);
        logs.erase(logs.begin() + static_cast<std::ptrdiff_t>(at));
      }
      RC_ASSERT(slab.bytes_used() <= slab.bytes());
    }
    for (const auto log : logs) expect_marked(slab, log);
    for (const auto log : logs) slab.end(log);
    RC_ASSERT(slab.bytes_used() == 0u);
    RC_ASSERT(room_for_logs(slab) == room);
  }));
}

TEST(LogSlab, GrowsByDoublingUntilMemoryIsUsedUp) {
  LogSlab slab(small_bytes);
  const auto log = slab.begin(1);
  ASSERT_TRUE(log);
  EXPECT_EQ(slab.head(*log).ring.memory().size(), 1u);
  std::size_t last = 1;
  while (slab.grow(*log)) {
    const std::size_t size = slab.head(*log).ring.memory().size();
    EXPECT_EQ(size, std::max<std::size_t>(4, last * 2));
    last = size;
  }
  // Half of the memory in one piece, while the smaller one before it was still needed.
  EXPECT_EQ(last * sizeof(LogEntry), small_bytes / 4);
  EXPECT_EQ(slab.head(*log).ring.memory().size(), last);
}

TEST(LogSlab, AFailedGrowthLeavesTheLogAsItWas) {
  LogSlab slab(small_bytes);
  const auto log = slab.begin(1);
  slab.head(*log).ring.push(5, 3);
  while (slab.begin(2)) {
  }
  EXPECT_FALSE(slab.grow(*log));
  EXPECT_EQ(slab.head(*log).ring.used(), 3u);
  EXPECT_EQ(slab.head(*log).ring[0].at_ns, 5);
}

TEST(LogSlab, TheBoundIncludesItsOwnMap) {
  for (const std::size_t bytes : {std::size_t{4096}, small_bytes, std::size_t{1'000'003}}) {
    LogSlab slab(bytes);
    EXPECT_LE(slab.bytes() + slab.bytes() / 64, bytes);
    EXPECT_GE(slab.bytes() + slab.bytes() / 64, bytes - 65);
  }
}

TEST(LogSlab, SamplesOnlyLogsThatLiveAndReachesEachOfThem) {
  LogSlab slab(small_bytes);
  std::map<LogSlab::Handle, GroupIndex> living;
  std::vector<LogSlab::Handle> ended;
  for (GroupIndex group = 0; group < 20; ++group) {
    const auto log = slab.begin(group);
    ASSERT_TRUE(log && slab.grow(*log));
    if (group % 2 == 0) living[*log] = group;
    if (group % 2 == 1) ended.push_back(*log);
  }
  for (const auto log : ended) slab.end(log);
  std::set<LogSlab::Handle> seen;
  for (int round = 0; round < 1000; ++round) {
    std::array<LogSlab::Candidate, 8> found;
    const std::size_t count = slab.sample(found);
    ASSERT_GT(count, 0u);
    for (const auto& candidate : std::span(found).first(count)) {
      ASSERT_TRUE(living.contains(candidate.handle));
      EXPECT_EQ(candidate.group, living[candidate.handle]);
      seen.insert(candidate.handle);
    }
  }
  EXPECT_EQ(seen.size(), living.size());
}

TEST(LogSlab, AnEmptySlabHasNothingToSample) {
  LogSlab slab(small_bytes);
  std::array<LogSlab::Candidate, 8> found;
  EXPECT_EQ(slab.sample(found), 0u);
}

}  // namespace
}  // namespace weir::store
