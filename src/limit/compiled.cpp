// SPDX-License-Identifier: Apache-2.0
// Which shape a limit's state needs.
#include "limit/compiled.hpp"

#include <numeric>

namespace weir {
namespace {

// 36 years of debt. With times below 2^62 ns no sum of a time and an admitted cost leaves 63 bits.
constexpr std::uint64_t word_capacity_ns = std::uint64_t{1} << 60;

}  // namespace

CompiledLimit::CompiledLimit(const Limit& limit_in)
    : limit(limit_in), shape(Shape::wide), ticks_per_ns(1), unit_ticks(0), capacity_ns(0) {
  if (limit.algorithm() == Algorithm::sliding_log) shape = Shape::log;
  if (limit.count() == 0) return;

  const auto period_ns = static_cast<std::uint64_t>(limit.period().count());
  const std::uint64_t divisor = std::gcd(period_ns, limit.count());
  ticks_per_ns = limit.count() / divisor;
  unit_ticks = period_ns / divisor;
  if (limit.has_burst() && ticks_per_ns == 1 && limit.capacity() <= word_capacity_ns / unit_ticks) {
    shape = Shape::word;
    capacity_ns = static_cast<std::int64_t>(limit.capacity() * unit_ticks);
  }
}

}  // namespace weir
