// SPDX-License-Identifier: Apache-2.0
// From the outcomes of an ask's limits to its one verdict. Pure.
#pragma once

#include <span>

#include "limiter/engine.hpp"

namespace weir::limiter {

/// The verdict on `hits`, of which the first `enforced` are enforced. A refusal outweighs a limit
/// that could not be asked: whoever is over a limit is over it. Which limit decides: refused, the
/// one with the longest `retry_after`; admitted, the one with the least `remaining` in proportion
/// to its capacity; the first of equals.
[[nodiscard]] Verdict conclude(std::span<const HitVerdict> hits, std::size_t enforced) noexcept;

}  // namespace weir::limiter
