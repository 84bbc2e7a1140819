// SPDX-License-Identifier: Apache-2.0
// Writing the table's state to a file.
#include <algorithm>
#include <cstring>
#include <vector>

#include "store/checksum.hpp"
#include "store/geometry.hpp"
#include "store/snapshot.hpp"
#include "store/snapshot_format.hpp"

namespace weir::store {

namespace {

/// Gathers bytes into pieces, sums them up and writes them. After an error it only counts.
class PieceWriter {
 public:
  explicit PieceWriter(FileReplacement& file) : file_(file) {
    piece_.reserve(Checksum::piece_bytes);
  }

  template <typename... Numbers>
  void put(Numbers... numbers) {
    (put_bytes(std::as_bytes(std::span(&numbers, 1))), ...);
  }

  void put_bytes(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t part = std::min(bytes.size(), Checksum::piece_bytes - piece_.size());
      piece_.insert(piece_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(part));
      bytes = bytes.subspan(part);
      if (piece_.size() == Checksum::piece_bytes) flush();
    }
  }

  /// Ends with the checksum of all before it.
  void finish() {
    if (!piece_.empty()) flush();
    const Key sum = checksum_.sum();
    put(sum.hi, sum.lo);
    flush();
  }

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

 private:
  void flush() {
    checksum_.add(piece_);
    bytes_ += piece_.size();
    if (!error_) error_ = file_.write(piece_);
    piece_.clear();
  }

  FileReplacement& file_;
  std::vector<std::byte> piece_;
  Checksum checksum_;
  std::uint64_t bytes_ = 0;
  std::optional<Error> error_;
};

void put_key(PieceWriter& writer, const SavedKey& key) {
  writer.put(key.tag, key.spread, key.value);
  if ((key.tag & log_flag) != 0) {
    writer.put(static_cast<std::uint64_t>(key.log.size()));
    writer.put_bytes(std::as_bytes(key.log));
  } else if ((key.tag & pair_flag) != 0) {
    writer.put(key.wide.lo, key.wide.hi);
  }
}

}  // namespace

Result<SnapshotSize> write_snapshot(Table& table, const KeySecret& secret, Time now,
                                    const std::string& path) {
  auto file = FileReplacement::begin(path);
  if (!file.ok()) return Error{file.error()};
  PieceWriter writer(file.value());
  writer.put(SnapshotHeader{.secret = secret, .taken_ns = now.time_since_epoch().count()});
  std::uint64_t keys = 0;
  table.for_each_live(now, [&](const SavedKey& key) {
    put_key(writer, key);
    ++keys;
  });
  writer.put(Tag{0}, keys);
  writer.finish();
  if (writer.error()) return *writer.error();
  if (auto error = file->commit()) return *error;
  return SnapshotSize{.keys = keys, .bytes = writer.bytes()};
}

}  // namespace weir::store
