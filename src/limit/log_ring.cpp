// SPDX-License-Identifier: Apache-2.0
// The ring of the sliding log.
#include "limit/log_ring.hpp"

#include <algorithm>
#include <cassert>

namespace weir {
namespace {

// The first index in [0, size) for which `reached` holds, as it does for all that follow; `size`
// where it holds for none. Mostly one of the oldest is meant, so the search starts from there in
// strides that double.
template <typename Predicate>
std::size_t first_where(std::size_t size, Predicate reached) noexcept {
  std::size_t low = 0;
  std::size_t stride = 1;
  while (stride <= size - low && !reached(low + stride - 1)) {
    low += stride;
    stride *= 2;
  }
  std::size_t high = std::min(size, low + stride - 1);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (reached(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

std::size_t LogRing::count_until(std::int64_t at_ns) const noexcept {
  return first_where(size_, [&](std::size_t index) { return (*this)[index].at_ns > at_ns; });
}

std::size_t LogRing::count_holding(std::uint64_t units) const noexcept {
  if (units == 0) return 0;
  const std::size_t index =
      first_where(size_, [&](std::size_t i) { return (*this)[i].total - base_ >= units; });
  return std::min(index + 1, size_);
}

void LogRing::drop_oldest(std::size_t count) noexcept {
  assert(count <= size_);
  if (count == 0) return;
  base_ = (*this)[count - 1].total;
  head_ = (head_ + count) & (memory_.size() - 1);
  size_ -= count;
}

void LogRing::merge_oldest() noexcept {
  assert(size_ >= 2);
  head_ = (head_ + 1) & (memory_.size() - 1);
  --size_;
  if (used_by_oldest(1) > most_units_of_entry) base_ = (*this)[0].total - most_units_of_entry;
}

void LogRing::push(std::int64_t at_ns, std::uint64_t units) noexcept {
  assert(has_room());
  if (units == 0) return;
  if (!empty() && at_ns <= newest().at_ns) {
    const std::uint64_t held = used() - used_by_oldest(size_ - 1);
    entry(size_ - 1).total += std::min(units, most_units_of_entry - held);
    return;
  }
  const std::uint64_t total = empty() ? base_ : newest().total;
  entry(size_) = {at_ns, total + std::min(units, most_units_of_entry)};
  ++size_;
}

void LogRing::take_from_newest(std::uint64_t units) noexcept {
  if (units >= used()) {
    drop_oldest(size_);
    return;
  }
  const std::uint64_t target = newest().total - units;
  size_ = count_holding(target - base_);
  entry(size_ - 1).total = target;
}

void LogRing::move_to(std::span<LogEntry> memory) noexcept {
  assert(memory.size() >= size_);
  for (std::size_t i = 0; i < size_; ++i) memory[i] = (*this)[i];
  memory_ = memory;
  head_ = 0;
}

}  // namespace weir
