// SPDX-License-Identifier: Apache-2.0
// A file for a test, gone when the test is done.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace weir {

/// A name in a directory of its own, which is removed with all that is in it.
class TemporaryFile {
 public:
  TemporaryFile() : directory_(testing::TempDir() + "weir.XXXXXX") {
    EXPECT_NE(::mkdtemp(directory_.data()), nullptr);
  }
  ~TemporaryFile() { std::filesystem::remove_all(directory_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] std::string path() const { return directory_ + "/state"; }
  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }

 private:
  std::string directory_;
};

}  // namespace weir
