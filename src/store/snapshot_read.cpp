// SPDX-License-Identifier: Apache-2.0
// Reading the table's state from a file: the whole file is found right before any of it is used.
#include <cstring>
#include <vector>

#include "store/checksum.hpp"
#include "store/geometry.hpp"
#include "store/rank.hpp"
#include "store/snapshot.hpp"
#include "store/snapshot_format.hpp"

namespace weir::store {

namespace {

using Bytes = std::span<const std::byte>;

/// Takes numbers from the front of bytes; nothing where they are too few.
class Reader {
 public:
  explicit Reader(Bytes bytes) noexcept : bytes_(bytes) {}

  template <typename Number>
  [[nodiscard]] bool take(Number& number) noexcept {
    if (bytes_.size() < sizeof number) return false;
    std::memcpy(&number, bytes_.data(), sizeof number);
    bytes_ = bytes_.subspan(sizeof number);
    return true;
  }

  [[nodiscard]] bool take_log(std::vector<LogEntry>& log) {
    std::uint64_t count = 0;
    if (!take(count) || count > bytes_.size() / sizeof(LogEntry)) return false;
    log.resize(count);
    if (count != 0) std::memcpy(log.data(), bytes_.data(), count * sizeof(LogEntry));
    bytes_ = bytes_.subspan(count * sizeof(LogEntry));
    return true;
  }

  [[nodiscard]] bool at_end() const noexcept { return bytes_.empty(); }

 private:
  Bytes bytes_;
};

/// Reads keys up to the end mark; false where they are not well formed.
template <typename See>
bool read_keys(Bytes bytes, See see) {
  Reader reader(bytes);
  SavedKey key;
  std::vector<LogEntry> log;
  std::uint64_t count = 0;
  while (reader.take(key.tag) && key.tag != 0) {
    if ((key.tag & (lock_flag | away_flag)) != 0) return false;
    if (!reader.take(key.spread) || !reader.take(key.value)) return false;
    if (!Geometry::belongs(key.tag, key.spread)) return false;
    if ((key.tag & pair_flag) != 0 && !is_rank(key.value)) return false;
    key.wide = {};
    key.log = {};
    if ((key.tag & log_flag) != 0) {
      if ((key.tag & pair_flag) == 0 || !reader.take_log(log)) return false;
      key.log = log;
    } else if ((key.tag & pair_flag) != 0) {
      if (!reader.take(key.wide.lo) || !reader.take(key.wide.hi)) return false;
    }
    see(key);
    ++count;
  }
  std::uint64_t said = 0;
  return key.tag == 0 && reader.take(said) && reader.at_end() && said == count;
}

bool has_right_sum(Bytes bytes, const Key& sum) noexcept {
  Checksum checksum;
  while (!bytes.empty()) {
    const Bytes piece = bytes.first(std::min(bytes.size(), Checksum::piece_bytes));
    checksum.add(piece);
    bytes = bytes.subspan(piece.size());
  }
  return checksum.sum() == sum;
}

/// What of the file the checksum stands for.
Bytes summed(Bytes file) noexcept { return file.first(file.size() - sizeof(Key)); }

}  // namespace

Result<std::optional<Snapshot>> Snapshot::read(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file.ok()) return Error{file.error()};
  if (!file->has_value()) return std::optional<Snapshot>();
  const Bytes bytes = (*file)->bytes();

  SnapshotHeader header;
  if (!Reader(bytes).take(header) || header.magic != SnapshotHeader::right_magic) {
    return Error{path + ": is not a state file of weir"};
  }
  if (header.version != SnapshotHeader::right_version) {
    return Error{path + ": is a state file of version " + std::to_string(header.version) +
                 "; this program reads version " + std::to_string(SnapshotHeader::right_version)};
  }
  const Error damaged{path +
                      ": the state file is damaged or cut short; restore it from a copy, or "
                      "remove it to start with fresh counters"};
  if (bytes.size() < sizeof header + sizeof(Key)) return damaged;
  Key sum;
  std::memcpy(&sum, summed(bytes).data() + summed(bytes).size(), sizeof sum);
  if (!has_right_sum(summed(bytes), sum)) return damaged;
  if (!read_keys(summed(bytes).subspan(sizeof header), [](const SavedKey&) {})) return damaged;
  return std::optional(Snapshot(std::move(**file), header.secret, Time{Duration{header.taken_ns}}));
}

Snapshot::Restored Snapshot::restore_into(Table& table, Time now) const {
  Restored restored;
  const auto put = [&](const SavedKey& key) {
    if (key.value <= now.time_since_epoch().count()) {
      ++restored.idle;
    } else if (table.restore(key, now)) {
      ++restored.keys;
    } else {
      ++restored.no_room;
    }
  };
  read_keys(summed(file_.bytes()).subspan(sizeof(SnapshotHeader)), put);
  return restored;
}

}  // namespace weir::store
