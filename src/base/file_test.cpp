// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace weir {
namespace {

using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(directory.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::string content() const {
    const auto file = MappedFile::open(path());
    if (!file.ok() || !file->has_value()) return "none";
    const auto bytes = (*file)->bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::string path() const { return directory + "/file"; }
  static std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
  }

  std::string directory = testing::TempDir() + "weir.XXXXXX";
};

TEST_F(FileTest, AReplacementIsSeenWhenItIsComplete) {
  std::ofstream(path()) << "old";
  {
    auto replacement = FileReplacement::begin(path());
    ASSERT_TRUE(replacement.ok());
    EXPECT_FALSE(replacement->write(bytes("new ")));
    EXPECT_FALSE(replacement->write(bytes("content")));
    EXPECT_EQ(content(), "old");
    EXPECT_FALSE(replacement->commit());
  }
  EXPECT_EQ(content(), "new content");
  EXPECT_FALSE(std::filesystem::exists(path() + ".tmp"));
}

TEST_F(FileTest, AReplacementThatIsGivenUpLeavesNothing) {
  std::ofstream(path()) << "old";
  {
    auto replacement = FileReplacement::begin(path());
    ASSERT_TRUE(replacement.ok());
    EXPECT_FALSE(replacement->write(bytes("new")));
  }
  EXPECT_EQ(content(), "old");
  EXPECT_FALSE(std::filesystem::exists(path() + ".tmp"));
}

TEST_F(FileTest, WhatACrashLeftBehindIsInNobodysWay) {
  std::ofstream(path() + ".tmp") << "half a file";
  std::filesystem::permissions(path() + ".tmp", std::filesystem::perms::all);
  auto replacement = FileReplacement::begin(path());
  ASSERT_TRUE(replacement.ok());
  EXPECT_FALSE(replacement->write(bytes("whole")));
  EXPECT_FALSE(replacement->commit());
  EXPECT_EQ(content(), "whole");
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
}

TEST_F(FileTest, AMissingDirectoryIsAnErrorThatNamesIt) {
  const auto replacement = FileReplacement::begin(directory + "/none/file");
  ASSERT_FALSE(replacement.ok());
  EXPECT_THAT(replacement.error(), HasSubstr("/none/file"));
  EXPECT_THAT(replacement.error(), HasSubstr("No such file or directory"));
}

TEST_F(FileTest, AnEmptyFileIsNotAMissingOne) {
  EXPECT_EQ(content(), "none");
  std::ofstream(path()).flush();
  EXPECT_EQ(content(), "");
}

TEST_F(FileTest, ADirectoryIsNoFile) {
  const auto file = MappedFile::open(directory);
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error(), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace weir
