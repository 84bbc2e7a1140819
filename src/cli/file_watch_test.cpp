// SPDX-License-Identifier: Apache-2.0
#include "cli/file_watch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace weir::cli {
namespace {

namespace fs = std::filesystem;
using Seen = FileWatch::Seen;

class FileWatchTest : public testing::Test {
 protected:
  FileWatchTest() {
    std::string pattern = (fs::temp_directory_path() / "weir-watch-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~FileWatchTest() override { fs::remove_all(folder); }

  void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

  fs::path folder;
};

TEST_F(FileWatchTest, AChangeIsToldOnceAndOnlyWhenItHasSettled) {
  const auto file = folder / "a.yaml";
  write(file, "one");
  FileWatch watch({file.string()});
  EXPECT_EQ(watch.look(), Seen::nothing);
  write(file, "half of");
  EXPECT_EQ(watch.look(), Seen::nothing);
  write(file, "half of two and the rest");
  EXPECT_EQ(watch.look(), Seen::nothing);
  EXPECT_EQ(watch.look(), Seen::changed);
  EXPECT_EQ(watch.look(), Seen::nothing);
}

TEST_F(FileWatchTest, ARenameOverIsSeen) {
  const auto file = folder / "a.yaml";
  write(file, "one");
  FileWatch watch({file.string()});
  write(folder / "b", "two");
  fs::rename(folder / "b", file);
  EXPECT_EQ(watch.look(), Seen::nothing);
  EXPECT_EQ(watch.look(), Seen::changed);
}

TEST_F(FileWatchTest, B102_ASymlinkSwappedInTheMiddleOfThePathIsSeen) {
  fs::create_directory(folder / "..2024_1");
  fs::create_directory(folder / "..2024_2");
  write(folder / "..2024_1/limits.yaml", "same");
  write(folder / "..2024_2/limits.yaml", "same");
  fs::create_symlink("..2024_1", folder / "..data");
  fs::create_symlink("..data/limits.yaml", folder / "limits.yaml");
  FileWatch watch({(folder / "limits.yaml").string()});
  fs::create_symlink("..2024_2", folder / "..data_tmp");
  fs::rename(folder / "..data_tmp", folder / "..data");
  EXPECT_EQ(watch.look(), Seen::nothing);
  EXPECT_EQ(watch.look(), Seen::changed);
  EXPECT_EQ(watch.look(), Seen::nothing);
}

TEST_F(FileWatchTest, ADeletedFileIsToldOnceAndItsReturnIsAChange) {
  const auto file = folder / "a.yaml";
  write(file, "one");
  FileWatch watch({file.string()});
  fs::remove(file);
  EXPECT_EQ(watch.look(), Seen::nothing);
  EXPECT_EQ(watch.look(), Seen::gone);
  EXPECT_EQ(watch.look(), Seen::nothing);
  write(file, "one");
  EXPECT_EQ(watch.look(), Seen::nothing);
  EXPECT_EQ(watch.look(), Seen::changed);
}

TEST_F(FileWatchTest, AnyOfSeveralFilesCounts) {
  write(folder / "a", "a");
  write(folder / "b", "b");
  FileWatch watch({(folder / "a").string(), (folder / "b").string()});
  write(folder / "b", "bb");
  EXPECT_EQ(watch.look(), Seen::nothing);
  EXPECT_EQ(watch.look(), Seen::changed);
}

TEST_F(FileWatchTest, OtherFilesAreWatchedWithoutForgettingWhatIsKnown) {
  write(folder / "a", "a");
  write(folder / "b", "b");
  FileWatch watch({(folder / "a").string()});
  write(folder / "a", "aa");
  watch.watch({(folder / "b").string(), (folder / "a").string()});
  EXPECT_EQ(watch.look(), Seen::nothing);
  EXPECT_EQ(watch.look(), Seen::changed);
  write(folder / "b", "bb");
  EXPECT_EQ(watch.look(), Seen::nothing);
  EXPECT_EQ(watch.look(), Seen::changed);
}

}  // namespace
}  // namespace weir::cli
