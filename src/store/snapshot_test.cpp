// SPDX-License-Identifier: Apache-2.0
// The state file: whole or refused, and a restart gives nobody a fresh budget.
#include "store/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "store/snapshot_format.hpp"
#include "store/table_fixture.hpp"
#include "store/temporary_file.hpp"

namespace weir::store {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

constexpr TableOptions small{.memory_bytes = TableOptions::least_memory_bytes, .log_percent = 50};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

class SnapshotTest : public testing::Test {
 protected:
  /// Keys of every shape, some with several instants.
  void use_keys(std::uint64_t count) {
    for (std::uint64_t key = 0; key < count; ++key) {
      static_cast<void>(ask(table, at(0s), bucket, key_of(3 * key), 1 + key % 9));
      static_cast<void>(ask(table, at(0s), window, key_of(3 * key + 1), 1 + key % 9));
      for (std::uint64_t instant = 0; instant <= key % 6; ++instant) {
        static_cast<void>(ask(table, at(std::chrono::seconds(instant)), log, key_of(3 * key + 2)));
      }
    }
  }
  SnapshotSize save() {
    auto saved = write_snapshot(table, test_secret, at(5s), file.path());
    EXPECT_TRUE(saved.ok()) << (saved.ok() ? "" : saved.error());
    return saved.value();
  }
  /// The error that reading gives; empty where it gives none.
  std::string read_error() const {
    const auto snapshot = Snapshot::read(file.path());
    return snapshot.ok() ? "" : snapshot.error();
  }

  const TemporaryFile file;
  const CompiledLimit bucket{token_bucket(10, 60s)};
  const CompiledLimit window{fixed_window(10, 60s)};
  const CompiledLimit log{sliding_log(10, 60s)};
  Table table{small};
};

TEST_F(SnapshotTest, B113_ARestartGivesNoFreshBudget) {
  use_keys(100);
  EXPECT_EQ(save().keys, 300u);
  Table restarted({.memory_bytes = std::size_t{1} << 20});
  const auto snapshot = Snapshot::read(file.path());
  ASSERT_TRUE(snapshot.ok() && snapshot->has_value());
  EXPECT_EQ((*snapshot)->secret(), test_secret);
  EXPECT_EQ((*snapshot)->taken(), at(5s));
  const auto restored = (*snapshot)->restore_into(restarted, at(5s));
  EXPECT_EQ(restored.keys, 300u);
  EXPECT_EQ(restored.idle + restored.no_room, 0u);
  for (std::uint64_t key = 0; key < 300; ++key) {
    const auto& limit = key % 3 == 0 ? bucket : key % 3 == 1 ? window : log;
    EXPECT_EQ(ask(restarted, at(8s), limit, key_of(key), 1, Verb::peek).decision,
              ask(table, at(8s), limit, key_of(key), 1, Verb::peek).decision);
  }
}

TEST_F(SnapshotTest, WhatHasBeenPaidOffMeanwhileIsLeftOut) {
  use_keys(10);
  save();
  Table restarted(small);
  const auto restored = Snapshot::read(file.path()).value()->restore_into(restarted, at(300s));
  EXPECT_EQ(restored.keys, 0u);
  EXPECT_EQ(restored.idle, 30u);
  EXPECT_EQ(restarted.stats(at(300s)).live_keys, 0u);
}

TEST_F(SnapshotTest, RestoringTwiceCountsNothingTwice) {
  use_keys(50);
  save();
  Table restarted(small);
  const auto snapshot = Snapshot::read(file.path());
  (*snapshot)->restore_into(restarted, at(5s));
  (*snapshot)->restore_into(restarted, at(5s));
  EXPECT_EQ(restarted.stats(at(5s), Table::Count::exact).live_keys, 150u);
  EXPECT_EQ(ask(restarted, at(5s), log, key_of(17), 1, Verb::peek).decision,
            ask(table, at(5s), log, key_of(17), 1, Verb::peek).decision);
}

TEST_F(SnapshotTest, ATableTooSmallKeepsThoseThatOweMostAndTellsOfTheRest) {
  Table large({.memory_bytes = std::size_t{1} << 20});
  for (std::uint64_t key = 0; key < 20'000; ++key) {
    static_cast<void>(ask(large, at(0s), bucket, key_of(key)));
  }
  static_cast<void>(ask(large, at(0s), bucket, key_of(5), 9));
  ASSERT_TRUE(write_snapshot(large, test_secret, at(0s), file.path()).ok());
  const auto snapshot = Snapshot::read(file.path());
  (*snapshot)->restore_into(table, at(0s));
  EXPECT_GT(table.stats(at(0s)).live_evictions, 1000u);
  EXPECT_EQ(ask(table, at(0s), bucket, key_of(5), 1, Verb::peek).decision.remaining, 0u);
  Table denies({.memory_bytes = small.memory_bytes, .when_full = WhenFull::deny});
  EXPECT_GT((*snapshot)->restore_into(denies, at(0s)).no_room, 1000u);
}

TEST_F(SnapshotTest, NoFileIsNoError) {
  const auto snapshot = Snapshot::read(file.path());
  ASSERT_TRUE(snapshot.ok());
  EXPECT_FALSE(snapshot->has_value());
}

TEST_F(SnapshotTest, AnEmptyTableMakesAFileToo) {
  EXPECT_EQ(save().keys, 0u);
  EXPECT_EQ(read_error(), "");
}

TEST_F(SnapshotTest, OnlyTheOwnerMayReadTheSecret) {
  save();
  struct stat status {};
  ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
}

TEST_F(SnapshotTest, AnyDamagedByteIsRefused) {
  use_keys(20);
  save();
  const std::string right = bytes_of(file.path());
  EXPECT_TRUE(rc::check([&] {
    std::string damaged = right;
    const auto place = *rc::gen::inRange<std::size_t>(0, right.size());
    damaged[place] = static_cast<char>(damaged[place] ^ *rc::gen::inRange(1, 256));
    write_bytes(file.path(), damaged);
    RC_ASSERT(!Snapshot::read(file.path()).ok());
  }));
  for (std::size_t place = 0; place < sizeof(SnapshotHeader) + 64; ++place) {
    std::string damaged = right;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    write_bytes(file.path(), damaged);
    EXPECT_NE(read_error(), "") << place;
  }
}

TEST_F(SnapshotTest, AFileCutShortOrContinuedIsRefused) {
  use_keys(20);
  save();
  const std::string right = bytes_of(file.path());
  for (std::size_t size = 0; size < right.size(); size += 7) {
    write_bytes(file.path(), right.substr(0, size));
    EXPECT_NE(read_error(), "") << size;
  }
  write_bytes(file.path(), right + '\0');
  EXPECT_THAT(read_error(), AllOf(HasSubstr(file.path()), HasSubstr("damaged or cut short")));
}

TEST_F(SnapshotTest, AFileLongerThanOnePieceIsSummedWhole) {
  Table large({.memory_bytes = std::size_t{4} << 20});
  for (std::uint64_t key = 0; key < 10'000; ++key) {
    static_cast<void>(ask(large, at(0s), bucket, key_of(key)));
  }
  const auto saved = write_snapshot(large, test_secret, at(0s), file.path());
  ASSERT_TRUE(saved.ok());
  EXPECT_EQ(saved->bytes, bytes_of(file.path()).size());
  EXPECT_GT(saved->bytes, 200'000u);
  EXPECT_EQ(read_error(), "");
  std::string damaged = bytes_of(file.path());
  damaged[150'000] = static_cast<char>(damaged[150'000] ^ 64);
  write_bytes(file.path(), damaged);
  EXPECT_NE(read_error(), "");
}

TEST_F(SnapshotTest, AnotherVersionIsNamed) {
  save();
  std::string other = bytes_of(file.path());
  other[8] = 2;
  write_bytes(file.path(), other);
  EXPECT_THAT(read_error(), AllOf(HasSubstr("version 2"), HasSubstr("reads version 1")));
}

TEST_F(SnapshotTest, AnotherKindOfFileIsNamed) {
  write_bytes(file.path(), "listen:\n  http: 127.0.0.1:8080\nand so on, for a while longer\n");
  EXPECT_THAT(read_error(), HasSubstr("not a state file of weir"));
}

TEST_F(SnapshotTest, AFailedWriteLeavesTheOldFile) {
  use_keys(1);
  save();
  const std::string before = bytes_of(file.path());
  // A directory in the way of the new version cannot be removed.
  ASSERT_TRUE(std::filesystem::create_directory(file.path() + ".tmp"));
  const auto saved = write_snapshot(table, test_secret, at(0s), file.path());
  ASSERT_FALSE(saved.ok());
  EXPECT_THAT(saved.error(), HasSubstr(file.path()));
  EXPECT_EQ(bytes_of(file.path()), before);
}

}  // namespace
}  // namespace weir::store
