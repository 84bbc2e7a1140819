// SPDX-License-Identifier: Apache-2.0
#include "limit/shared.hpp"

#include <algorithm>

namespace weir {

Limit share_of(const Limit& limit, std::uint64_t instances) {
  if (instances <= 1 || limit.count() == 0) return limit;
  const auto part = [instances](std::uint64_t units) {
    return std::max<std::uint64_t>(units / instances, 1);
  };
  if (!limit.has_burst()) return {limit.algorithm(), part(limit.count()), limit.period()};
  const auto longest = Limit::longest_period / limit.period();
  const bool divides = limit.count() % instances == 0;
  if (divides || instances > static_cast<std::uint64_t>(longest)) {
    return Limit(limit.algorithm(), part(limit.count()), limit.period())
        .with_burst(part(limit.capacity()));
  }
  return Limit(limit.algorithm(), limit.count(),
               limit.period() * static_cast<std::int64_t>(instances))
      .with_burst(part(limit.capacity()));
}

}  // namespace weir
