// SPDX-License-Identifier: Apache-2.0
// What a limit says beside its numbers where several instances share it.
#pragma once

#include <cstdint>

#include <weir/limit.hpp>

namespace weir {

/// What answers where the shared store is out of reach.
enum class OnStoreFailure : std::uint8_t {
  allow,  ///< the request goes on
  deny,   ///< it cannot be served: 503
  local,  ///< this instance's share of the limit
};

/// The part of a limit that is one instance's own where `instances` share it: together they admit
/// no more than the limit, except that each may admit one unit. Where the rate does not divide, a
/// bucket's period grows, and a window's count is rounded down.
[[nodiscard]] Limit share_of(const Limit& limit, std::uint64_t instances);

/// How long a state of the limit can matter, unless it is in debt: then it is the same as a fresh
/// one.
[[nodiscard]] Duration longest_state(const Limit& limit) noexcept;

}  // namespace weir
