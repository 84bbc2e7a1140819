// SPDX-License-Identifier: Apache-2.0
// What the writer and the reader of a snapshot agree on. snapshot.hpp has the layout.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/key.hpp"
#include "limit/log_ring.hpp"

namespace weir::store {

static_assert(std::endian::native == std::endian::little, "numbers are written as they stand");
static_assert(sizeof(LogEntry) == 16, "instants are written as they stand");

struct SnapshotHeader {
  static constexpr std::array<char, 8> right_magic{'w', 'e', 'i', 'r', 's', 't', 'a', 't'};
  static constexpr std::uint32_t right_version = 1;

  std::array<char, 8> magic = right_magic;
  std::uint32_t version = right_version;
  std::uint32_t zero = 0;
  KeySecret secret;
  std::int64_t taken_ns = 0;
};
static_assert(sizeof(SnapshotHeader) == 40);

}  // namespace weir::store
