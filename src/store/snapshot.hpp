// SPDX-License-Identifier: Apache-2.0
// The table's state in a file, so that a restart gives nobody a fresh budget.
//
//     header    "weirstat" | version 4 | 0 4 | secret 8 + 8 | taken at 8 (ns since the epoch)
//     keys      tag 8 | spread 8 | value 8 | what the shape needs:
//                 word   nothing
//                 wide   lo 8 | hi 8
//                 log    count 8 | count times: instant 8 | units up to and with it 8
//     end       0 8 | number of keys 8
//     checksum  16, over all before it
//
// Numbers are little-endian. The checksum finds damage, not forgery: who can write the file is
// trusted, and only its owner can read it, for it holds the secret that keys are hashed with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <weir/result.hpp>

#include "base/file.hpp"
#include "base/key.hpp"
#include "store/table.hpp"

namespace weir::store {

struct SnapshotSize {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
};

/// Writes every key that owes something at `now` to the file at `path`, which is replaced whole.
/// Others go on deciding meanwhile: each key is written as it stood at some moment of the writing.
/// One call at a time for a table.
[[nodiscard]] Result<SnapshotSize> write_snapshot(Table& table, const KeySecret& secret, Time now,
                                                  const std::string& path);

/// A snapshot that was read and found whole.
class Snapshot {
 public:
  /// Nothing where there is no such file. A file that is damaged, cut short, of another version or
  /// not a snapshot at all is an error, which says so with the file's name.
  [[nodiscard]] static Result<std::optional<Snapshot>> read(const std::string& path);

  /// The secret that the keys are hashed with: the restored state is found only with it.
  [[nodiscard]] const KeySecret& secret() const noexcept { return secret_; }

  /// When it was taken.
  [[nodiscard]] Time taken() const noexcept { return taken_; }

  struct Restored {
    std::uint64_t keys = 0;     ///< owe something, and go on where they stood
    std::uint64_t idle = 0;     ///< owe nothing any more
    std::uint64_t no_room = 0;  ///< lost: the table is too small
  };

  /// Puts the keys into `table`, of whatever size. Times are absolute: what was owed is paid off by
  /// the time that has passed.
  Restored restore_into(Table& table, Time now) const;

 private:
  Snapshot(MappedFile file, const KeySecret& secret, Time taken) noexcept
      : file_(std::move(file)), secret_(secret), taken_(taken) {}

  MappedFile file_;
  KeySecret secret_;
  Time taken_;
};

}  // namespace weir::store
