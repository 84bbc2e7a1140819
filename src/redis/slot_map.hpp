// SPDX-License-Identifier: Apache-2.0
// Which node owns which slot, as a cluster's nodes tell.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "redis/options.hpp"
#include "wire/resp_reply.hpp"

namespace weir::redis {

struct SlotRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  ///< it is part of the range
  Address master;
};

/// The answer of the node at `asked` to CLUSTER SLOTS. Nothing where it is something else. A node
/// that does not know its own name leaves it out: it is the one that was asked.
[[nodiscard]] std::optional<std::vector<SlotRange>> read_slot_ranges(const wire::resp::Reply& reply,
                                                                     const Address& asked);

}  // namespace weir::redis
