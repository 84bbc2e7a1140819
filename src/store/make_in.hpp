// SPDX-License-Identifier: Apache-2.0
// Makes a decision where it is wanted.
#pragma once

#include <new>
#include <type_traits>

#include <weir/decision.hpp>

namespace weir::store {

/// Fills `decision` with what `make` returns. Made elsewhere and copied, it would wait for its own
/// bytes.
template <typename Make>
void make_in(Decision& decision, Make make) noexcept {
  static_assert(std::is_trivially_destructible_v<Decision>);
  ::new (static_cast<void*>(&decision)) Decision(make());
}

}  // namespace weir::store
