// SPDX-License-Identifier: Apache-2.0
#include "redis/backoff.hpp"

#include <algorithm>

namespace weir::redis {

Duration Backoff::next() noexcept {
  constexpr Duration first = std::chrono::milliseconds{50};
  std::uniform_int_distribution<Duration::rep> any(0, bound_.count());
  const Duration wait{any(random_)};
  bound_ = std::min(longest_, std::max(first, bound_ * 2));
  return wait;
}

}  // namespace weir::redis
