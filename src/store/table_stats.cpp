// SPDX-License-Identifier: Apache-2.0
// Looking at the table as a whole: counts for metrics.
#include <algorithm>

#include "store/slots.hpp"
#include "store/table.hpp"

namespace weir::store {

namespace {

struct Live {
  std::size_t keys = 0;
  std::size_t cells = 0;
};

/// Without the lock: an estimate needs no more.
void count_live(const Group& group, Time now, Live& live) noexcept {
  for (unsigned cell = 0; cell < Group::cells;) {
    const unsigned width = Group::width(group.tag(cell));
    if (group.tag(cell) != 0 && group.value(cell) > ns(now)) {
      ++live.keys;
      live.cells += width;
    }
    cell += width;
  }
}

}  // namespace

TableStats Table::stats(Time now, Count count) const noexcept {
  constexpr std::size_t sampled_groups = 4096;
  const auto groups = slots_->groups();
  const std::size_t seen =
      count == Count::exact ? groups.size() : std::min(groups.size(), sampled_groups);
  Live live;
  for (std::size_t at = 0; at < seen; ++at) {
    count_live(groups[at * groups.size() / seen], now, live);
  }
  const auto& counters = slots_->counters();
  return {.memory_bytes = slots_->memory_bytes(),
          .cells = groups.size() * Group::cells,
          .live_cells = live.cells * groups.size() / seen,
          .live_keys = live.keys * groups.size() / seen,
          .log_bytes = slots_->logs().bytes(),
          .log_bytes_used = slots_->logs().bytes_used(),
          .live_evictions = counters.total(Event::live_eviction),
          .expired_reuses = counters.total(Event::expired_reuse),
          .relocations = counters.total(Event::relocation),
          .shared_newcomers = counters.total(Event::shared_newcomer),
          .full_refusals = counters.total(Event::full_refusal)};
}

}  // namespace weir::store
