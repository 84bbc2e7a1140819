// SPDX-License-Identifier: Apache-2.0
#include "cli/file_watch.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace weir::cli {

FileMark FileMark::of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  const auto in_ns = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return {.place = {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size)},
          .changed_ns = {in_ns(status.st_mtim), in_ns(status.st_ctim)}};
}

FileWatch::FileWatch(std::vector<std::string> paths)
    : paths_(std::move(paths)), known_(marks()), settling_(known_) {}

void FileWatch::watch(std::vector<std::string> paths) {
  if (paths == paths_) return;
  FileWatch fresh(std::move(paths));
  for (std::size_t at = 0; at < fresh.paths_.size(); ++at) {
    const auto before = std::ranges::find(paths_, fresh.paths_[at]);
    if (before == paths_.end()) continue;
    const auto place = static_cast<std::size_t>(before - paths_.begin());
    fresh.known_[at] = known_[place];
    fresh.settling_[at] = settling_[place];
  }
  *this = std::move(fresh);
}

std::vector<FileMark> FileWatch::marks() const {
  std::vector<FileMark> result;
  result.reserve(paths_.size());
  for (const auto& path : paths_) result.push_back(FileMark::of(path));
  return result;
}

FileWatch::Seen FileWatch::look() {
  auto seen = marks();
  const bool settled = seen == settling_;
  settling_ = std::move(seen);
  if (!settled || settling_ == known_) return Seen::nothing;
  known_ = settling_;
  const bool all_there = std::ranges::all_of(known_, &FileMark::exists);
  return all_there ? Seen::changed : Seen::gone;
}

}  // namespace weir::cli
