// SPDX-License-Identifier: Apache-2.0
// Tells when a set of files has changed, by looking at them at intervals. Looking works where
// notifications do not: on network file systems, for a file renamed over, and for a symlink
// anywhere in the path that is swapped (as Kubernetes does with its mounted configuration).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::cli {

/// What makes a file another file: where the path leads, and what stands there.
struct FileMark {
  std::array<std::uint64_t, 3> place{};      ///< device, inode, size; all zero where there is none
  std::array<std::int64_t, 2> changed_ns{};  ///< modification and status change

  [[nodiscard]] static FileMark of(const std::string& path);
  [[nodiscard]] bool exists() const noexcept { return place[1] != 0; }
  friend bool operator==(const FileMark&, const FileMark&) = default;
};

class FileWatch {
 public:
  explicit FileWatch(std::vector<std::string> paths);

  enum class Seen : std::uint8_t {
    nothing,  ///< as before, or still changing
    changed,  ///< something else stands there, and has been the same for two looks
    gone,     ///< a file is no longer there; told once
  };

  /// Watches these files from now on. What is known of those watched before stays.
  void watch(std::vector<std::string> paths);

  /// One look at all files. A change is told at the look after the one that first saw it, so that a
  /// file which is still being written is not read half.
  [[nodiscard]] Seen look();

 private:
  [[nodiscard]] std::vector<FileMark> marks() const;

  std::vector<std::string> paths_;
  std::vector<FileMark> known_;     // what was last told
  std::vector<FileMark> settling_;  // what the last look saw
};

}  // namespace weir::cli
