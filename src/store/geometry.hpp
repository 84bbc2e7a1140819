// SPDX-License-Identifier: Apache-2.0
// Where a key may stand in the table, and what of the key is kept there.
//
// The groups of the table form blocks of at most 2 MB. A key has two groups, both in one block: its
// home, and the one that its offset leads to from there (and back).
//
//     key    hi  [ 10 bits | ...          ]    lo  [ 60 bits of fingerprint           | .... ]
//     spread     [ 10 bits of hi | the upper 54 bits of the fingerprint ]  -> home group
//     offset     the lower bits of the fingerprint, made odd               -> away group
//
// A tag holds the fingerprint and four flags. With the place where it stands it tells `spread`
// exactly, in a table of any size: so an entry can move to its other group, and a saved table can
// be restored into one of another size. A key is known by 70 bits in all. For n live keys the odds
// that any two are taken for one are n^2 / 2^71: 4e-8 for ten million. They are bits of a keyed
// hash, so nobody can aim for it.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/key.hpp"
#include "limit/compiled.hpp"

namespace weir::store {

/// What stands in a cell: the fingerprint of a key with the flags of its entry. 0: nothing.
using Tag = std::uint64_t;

inline constexpr Tag lock_flag = 1;  ///< the group is locked; in the group's first cell only
inline constexpr Tag pair_flag = 2;  ///< the entry takes two cells
inline constexpr Tag log_flag = 4;   ///< the entry is a log, whose instants stand elsewhere
inline constexpr Tag away_flag = 8;  ///< the entry stands in its away group
inline constexpr Tag flags = 15;

/// The flags that tell entries of one key but of different shapes apart.
[[nodiscard]] constexpr Tag shape_flags(Shape shape) noexcept {
  switch (shape) {
    case Shape::word: return 0;
    case Shape::wide: return pair_flag;
    case Shape::log: return pair_flag | log_flag;
  }
  return 0;
}

using GroupIndex = std::uint32_t;

/// Where one key's entry of one shape may stand.
struct Address {
  Tag tag = 0;  ///< without `away_flag`
  GroupIndex home = 0;
  GroupIndex away = 0;
};

class Geometry {
 public:
  /// Fewer groups would not tell the ten bits of `hi`.
  static constexpr std::size_t fewest_groups = 1024;

  /// A table of at most `groups` groups: rounded down to whole blocks.
  explicit constexpr Geometry(std::size_t groups) noexcept : block_(std::bit_floor(groups / 16)) {
    assert(groups >= fewest_groups && groups <= std::size_t{1} << 32);
    if (block_ > largest_block) block_ = largest_block;
    groups_ = groups / block_ * block_;
  }

  [[nodiscard]] constexpr std::size_t groups() const noexcept { return groups_; }

  [[nodiscard]] constexpr Address locate(const Key& key, Shape shape) const noexcept {
    const Tag print = fingerprint(key);
    return at(print | shape_flags(shape), (key.hi & high_bits) | (print >> 10));
  }

  /// Whether a tag and a spread can be those of one key.
  [[nodiscard]] static constexpr bool belongs(Tag tag, std::uint64_t spread) noexcept {
    return (spread & ~high_bits) == (tag & ~flags) >> 10;
  }

  /// The address of an entry whose tag and `spread` are known.
  [[nodiscard]] constexpr Address at(Tag tag, std::uint64_t spread) const noexcept {
    const auto home = static_cast<GroupIndex>(scale(spread));
    return {.tag = tag & ~(lock_flag | away_flag), .home = home, .away = other(home, tag)};
  }

  /// The other group of the entry `tag` that stands in `group`.
  [[nodiscard]] constexpr GroupIndex other(GroupIndex group, Tag tag) const noexcept {
    return group ^ ((static_cast<GroupIndex>(tag >> 4) & static_cast<GroupIndex>(block_ - 1)) | 1u);
  }

  /// The `spread` of the entry `tag` that stands in `group`: the only number that begins with ten
  /// free bits, goes on with the fingerprint's and scales to the home group.
  [[nodiscard]] constexpr std::uint64_t spread(GroupIndex group, Tag tag) const noexcept {
    using Wide = unsigned __int128;
    const GroupIndex home = (tag & away_flag) != 0 ? other(group, tag) : group;
    const auto first = static_cast<std::uint64_t>(((Wide{home} << 64) + groups_ - 1) / groups_);
    std::uint64_t spread = (first & high_bits) | ((tag & ~flags) >> 10);
    if (spread < first) spread += std::uint64_t{1} << 54;
    assert(scale(spread) == home);
    return spread;
  }

 private:
  static constexpr std::size_t largest_block = std::size_t{1} << 15;
  static constexpr std::uint64_t high_bits = ~((std::uint64_t{1} << 54) - 1);

  static constexpr Tag fingerprint(const Key& key) noexcept {
    const Tag print = key.lo & ~flags;
    return print != 0 ? print : flags + 1;  // 0 is an empty cell
  }

  [[nodiscard]] constexpr std::uint64_t scale(std::uint64_t spread) const noexcept {
    using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{spread} * groups_) >> 64);
  }

  std::size_t groups_ = 0;
  std::size_t block_;
};

}  // namespace weir::store
