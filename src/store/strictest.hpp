// SPDX-License-Identifier: Apache-2.0
// Which of several limits' decisions is the answer to a request.
#pragma once

#include <weir/decision.hpp>

namespace weir {

/// Whether `left` goes before `right` as the answer: a refusal before an admission; of refusals the
/// longer wait; of admissions the smaller rest in proportion to its capacity. Equal ones stay in
/// order.
[[nodiscard]] inline bool is_stricter(const Decision& left, const Decision& right) noexcept {
  if (left.allowed != right.allowed) return !left.allowed;
  if (!left.allowed) return left.retry_after > right.retry_after;
  // remaining / capacity, without dividing.
  using Wide = unsigned __int128;
  return Wide{left.remaining} * right.capacity < Wide{right.remaining} * left.capacity;
}

}  // namespace weir
