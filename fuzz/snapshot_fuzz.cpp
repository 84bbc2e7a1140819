// SPDX-License-Identifier: Apache-2.0
// State files whose checksum is right, whatever stands in them: refused, or restored into a table
// that goes on deciding. The first byte of an input chooses between the file as it is and one that
// is given a right head and checksum.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <string>

#include "fuzz.hpp"
#include "store/checksum.hpp"
#include "store/snapshot.hpp"
#include "store/snapshot_format.hpp"
#include "store/table.hpp"

using namespace weir;
using fuzz::require;

namespace {

template <typename Plain>
void append(std::string& bytes, const Plain& plain) {
  bytes.append(reinterpret_cast<const char*>(&plain), sizeof plain);
}

std::string with_right_frame(std::string_view keys) {
  std::string bytes;
  append(bytes, store::SnapshotHeader{.secret = {1, 2}, .taken_ns = 1});
  bytes += keys;
  store::Checksum checksum;
  const auto all = std::as_bytes(std::span(bytes));
  for (std::size_t at = 0; at < all.size(); at += store::Checksum::piece_bytes) {
    checksum.add(all.subspan(at, std::min(store::Checksum::piece_bytes, all.size() - at)));
  }
  append(bytes, checksum.sum());
  return bytes;
}

/// A file in memory, under a name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : number_(memfd_create("fuzz", MFD_CLOEXEC)) {
    require(number_ >= 0);
    require(write(number_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  ~MemoryFile() { close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

void use(store::Table& table, Time now) {
  const CompiledLimit limit(token_bucket(10, std::chrono::seconds{1}));
  const Op op{.key = {1, 2}, .limit = &limit};
  Outcome outcome;
  StoreBatch batch{.now = now, .ops = {&op, 1}, .outcomes = {&outcome, 1}};
  table.apply(batch);
  (void)table.stats(now, store::Table::Count::exact);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto rest = fuzz::text_of(data, size).substr(1);
  const MemoryFile file(data[0] % 2 == 0 ? std::string(rest) : with_right_frame(rest));
  const auto read = store::Snapshot::read(file.path());
  if (!read) {
    require(!read.error().empty());
    return 0;
  }
  require(read->has_value());
  const Time now{std::chrono::seconds{1'700'000'000}};
  store::Table table({.memory_bytes = store::TableOptions::least_memory_bytes});
  (void)(*read)->restore_into(table, now);
  use(table, now);
  return 0;
}
