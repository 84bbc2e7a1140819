// SPDX-License-Identifier: Apache-2.0
// Files that are replaced whole or not at all, and files read whole.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <weir/result.hpp>

namespace weir {

/// A file descriptor that is closed once.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) noexcept : number_(number) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// Writes a new version of a file beside it and puts it in its place when it is complete and on
/// disk. Whoever reads the file, also after a crash, finds the old version or the new one. Only the
/// owner may read it.
class FileReplacement {
 public:
  [[nodiscard]] static Result<FileReplacement> begin(const std::string& path);

  /// Without `commit` the file stays as it was.
  ~FileReplacement();
  FileReplacement(FileReplacement&& other) noexcept = default;
  FileReplacement& operator=(FileReplacement&&) = delete;

  /// Nothing, or what went wrong.
  [[nodiscard]] std::optional<Error> write(std::span<const std::byte> bytes);
  [[nodiscard]] std::optional<Error> commit();

 private:
  FileReplacement(std::string path, std::string new_path, FileDescriptor file)
      : path_(std::move(path)), new_path_(std::move(new_path)), file_(std::move(file)) {}

  std::string path_;
  std::string new_path_;
  FileDescriptor file_;
};

/// A file's bytes, as they were when it was opened.
class MappedFile {
 public:
  /// Nothing where there is no such file.
  [[nodiscard]] static Result<std::optional<MappedFile>> open(const std::string& path);

  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace weir
