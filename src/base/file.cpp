// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weir {

namespace {

Error failure(const std::string& path, std::string_view what) {
  const int code = errno;
  return {path + ": " + std::string(what) + ": " + std::generic_category().message(code)};
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (is_open()) ::close(number_);
}

Result<FileReplacement> FileReplacement::begin(const std::string& path) {
  std::string new_path = path + ".tmp";
  ::unlink(new_path.c_str());  // what a crash left behind
  FileDescriptor file(
      ::open(new_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.is_open()) return failure(new_path, "cannot create it");
  return FileReplacement(path, std::move(new_path), std::move(file));
}

FileReplacement::~FileReplacement() {
  if (file_.is_open()) ::unlink(new_path_.c_str());
}

std::optional<Error> FileReplacement::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(new_path_, "cannot write to it");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return std::nullopt;
}

std::optional<Error> FileReplacement::commit() {
  if (::fsync(file_.number()) != 0) return failure(new_path_, "cannot bring it to disk");
  if (::rename(new_path_.c_str(), path_.c_str()) != 0) {
    return failure(path_, "cannot put the new version in its place");
  }
  file_ = FileDescriptor();
  const std::string name = directory_of(path_);
  const FileDescriptor directory(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open() || ::fsync(directory.number()) != 0) {
    return failure(name, "cannot bring it to disk");
  }
  return std::nullopt;
}

Result<std::optional<MappedFile>> MappedFile::open(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    if (errno == ENOENT) return std::optional<MappedFile>();
    return failure(path, "cannot open it");
  }
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return failure(path, "cannot read it");
  if (!S_ISREG(status.st_mode)) return Error{path + ": is not a regular file"};
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return std::optional(MappedFile({}));
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (data == MAP_FAILED) return failure(path, "cannot read it");
  return std::optional(MappedFile({static_cast<const std::byte*>(data), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace weir
