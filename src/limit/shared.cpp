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

Duration longest_state(const Limit& limit) noexcept {
  if (limit.algorithm() == Algorithm::sliding_counter) return 2 * limit.period();
  if (!limit.has_burst()) return limit.period();
  if (limit.count() == 0) return never;  // what is spent never comes back
  using Wide = unsigned __int128;
  const Wide period = static_cast<std::uint64_t>(limit.period().count());
  const Wide drain = (Wide{limit.capacity()} * period + limit.count() - 1) / limit.count();
  const auto most = static_cast<std::uint64_t>(never.count());
  return Duration{
      static_cast<std::int64_t>(drain < most ? static_cast<std::uint64_t>(drain) : most)};
}

}  // namespace weir
