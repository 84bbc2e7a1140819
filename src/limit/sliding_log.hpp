// SPDX-License-Identifier: Apache-2.0
// The sliding log: exact, the units admitted in (now - period, now].
#pragma once

#include "limit/log_ring.hpp"
#include "limit/verdict.hpp"

namespace weir {

class SlidingLog {
 public:
  explicit SlidingLog(const CompiledLimit& limit) noexcept : limit_(limit) {}

  [[nodiscard]] Decision step(Verb verb, std::uint64_t cost, Time now,
                              LogRing& ring) const noexcept;
  void drop_ended(Time now, LogRing& ring) const noexcept;
  [[nodiscard]] Time idle_from(const LogRing& ring) const noexcept;
  [[nodiscard]] std::uint64_t used_units(Time now, const LogRing& ring) const noexcept;

 private:
  struct Window;

  void take(std::uint64_t cost, std::int64_t now_ns, LogRing& ring) const noexcept;

  const CompiledLimit& limit_;
};

}  // namespace weir
