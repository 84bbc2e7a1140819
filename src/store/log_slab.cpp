// SPDX-License-Identifier: Apache-2.0
#include "store/log_slab.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>

namespace weir::store {

namespace {

constexpr std::size_t entries_of_line = 64 / sizeof(LogEntry);

/// The order of the block that holds so many entries.
constexpr std::uint8_t order_of(std::size_t entries) noexcept {
  return static_cast<std::uint8_t>(std::countr_zero(std::bit_ceil(entries / entries_of_line)));
}

}  // namespace

LogSlab::LogSlab(std::size_t bytes)
    : line_count_(static_cast<Line>(std::min<std::size_t>(bytes / (line_bytes + 1), none - 1))),
      lines_(line_count_ * line_bytes),
      map_(line_count_) {
  free_.fill(none);
  const SpinGuard guard(lock_);
  // The largest aligned blocks that fit, the first lines last, so that they are taken first.
  for (Line end = line_count_; end != 0;) {
    const int order = std::min(std::countr_zero(end), orders - 1);
    end -= Line{1} << order;
    push_free(end, static_cast<Order>(order));
  }
}

std::optional<LogSlab::Handle> LogSlab::begin(GroupIndex group) noexcept {
  std::optional<Line> line;
  {
    const SpinGuard guard(lock_);
    line = take(0, Kind::head);
    if (!line) return std::nullopt;
    // The sampler reads it as soon as the lock is free.
    (new (at(*line)) LogHead)->group.store(group, std::memory_order_relaxed);
  }
  LogHead& log = head(*line);
  log.ring = LogRing({&log.first, 1});
  return line;
}

bool LogSlab::grow(Handle log) noexcept {
  LogHead& grown = head(log);
  const std::size_t entries = std::max(grown.ring.memory().size() * 2, entries_of_line);
  if (order_of(entries) >= orders) return false;
  std::optional<Line> line;
  {
    const SpinGuard guard(lock_);
    line = take(order_of(entries), Kind::entries);
  }
  if (!line) return false;
  const auto before = grown.ring.memory();
  grown.ring.move_to({reinterpret_cast<LogEntry*>(at(*line)), entries});
  const SpinGuard guard(lock_);
  give_entries(before);
  return true;
}

void LogSlab::end(Handle log) noexcept {
  const SpinGuard guard(lock_);
  give_entries(head(log).ring.memory());
  give(log, 0);
}

void LogSlab::give_entries(std::span<const LogEntry> memory) noexcept {
  if (memory.size() < entries_of_line) return;  // still the one in the head
  const auto offset = reinterpret_cast<const std::byte*>(memory.data()) - at(0);
  give(static_cast<Line>(static_cast<std::size_t>(offset) / line_bytes), order_of(memory.size()));
}

std::size_t LogSlab::sample(std::span<Candidate> found) noexcept {
  const SpinGuard guard(lock_);
  std::size_t count = 0;
  for (std::size_t tries = 0; tries < found.size(); ++tries) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    if (const auto log = log_from(static_cast<Line>(random_ % line_count_))) {
      found[count++] = {*log, head(*log).group.load(std::memory_order_relaxed)};
    }
  }
  return count;
}

/// The next log from `line` on, round the end, if it is not too far.
std::optional<LogSlab::Handle> LogSlab::log_from(Line line) const noexcept {
  constexpr std::size_t most_lines_seen = std::size_t{1} << 14;
  const auto* const map = static_cast<const std::uint8_t*>(map_.data());
  const auto search = [map](Line from, std::size_t count) -> std::optional<Handle> {
    const void* const hit = std::memchr(map + from, static_cast<int>(Kind::head), count);
    if (hit == nullptr) return std::nullopt;
    return static_cast<Handle>(static_cast<const std::uint8_t*>(hit) - map);
  };
  const std::size_t to_end = std::min<std::size_t>(line_count_ - line, most_lines_seen);
  if (const auto log = search(line, to_end)) return log;
  return search(0, std::min<std::size_t>(line, most_lines_seen - to_end));
}

std::optional<LogSlab::Line> LogSlab::take(Order order, Kind as) noexcept {
  Order from = order;
  while (from < orders && free_[from] == none) ++from;
  if (from == orders) return std::nullopt;
  const Line line = free_[from];
  remove_free(line, from);
  while (from > order) {
    --from;
    push_free(line + (Line{1} << from), from);
  }
  kind(line) = static_cast<std::uint8_t>(as);
  lines_used_.fetch_add(std::size_t{1} << order, std::memory_order_relaxed);
  return line;
}

void LogSlab::give(Line line, Order order) noexcept {
  lines_used_.fetch_sub(std::size_t{1} << order, std::memory_order_relaxed);
  for (; order + 1 < orders; ++order) {
    const Line buddy = line ^ (Line{1} << order);
    if (!is_free(buddy, order)) break;
    remove_free(buddy, order);
    kind(std::max(line, buddy)) = static_cast<std::uint8_t>(Kind::inside);
    line = std::min(line, buddy);
  }
  push_free(line, order);
}

bool LogSlab::is_free(Line line, Order order) const noexcept {
  return line < line_count_ && kind(line) == static_cast<std::uint8_t>(Kind::free) + order;
}

void LogSlab::push_free(Line line, Order order) noexcept {
  kind(line) = static_cast<std::uint8_t>(static_cast<std::uint8_t>(Kind::free) + order);
  const Line next = free_[order];
  node(line) = {.next = next, .previous = none};
  if (next != none) node(next).previous = line;
  free_[order] = line;
}

void LogSlab::remove_free(Line line, Order order) noexcept {
  const FreeNode gone = node(line);
  if (gone.previous != none) {
    node(gone.previous).next = gone.next;
  } else {
    free_[order] = gone.next;
  }
  if (gone.next != none) node(gone.next).previous = gone.previous;
}

}  // namespace weir::store
