// SPDX-License-Identifier: Apache-2.0
// For tests: one limit's counter for one key, whatever the shape of its state.
#pragma once

#include <cstddef>
#include <vector>

#include "limit/step.hpp"

namespace weir {

class TestCounter {
 public:
  explicit TestCounter(const CompiledLimit& limit) : limit_(limit) {}

  Decision step(Verb verb, std::uint64_t cost, Time now) {
    switch (limit_.shape) {
      case Shape::word: return weir::step(limit_, verb, cost, now, word_);
      case Shape::wide: return weir::step(limit_, verb, cost, now, wide_);
      case Shape::log: break;
    }
    make_room();
    return weir::step(limit_, verb, cost, now, ring_);
  }

  [[nodiscard]] Time idle_from() const {
    switch (limit_.shape) {
      case Shape::word: return Time{Duration{word_}};
      case Shape::wide: return weir::idle_from(limit_, wide_);
      case Shape::log: break;
    }
    return weir::idle_from(limit_, ring_);
  }

  [[nodiscard]] std::uint64_t used_units(Time now) const {
    switch (limit_.shape) {
      case Shape::word: return weir::used_units(limit_, now, word_);
      case Shape::wide: return weir::used_units(limit_, now, wide_);
      case Shape::log: break;
    }
    return weir::used_units(limit_, now, ring_);
  }

 private:
  void make_room() {
    if (ring_.has_room()) return;
    std::vector<LogEntry> larger(memory_.empty() ? 1 : memory_.size() * 2);
    ring_.move_to(larger);
    memory_.swap(larger);
  }

  CompiledLimit limit_;
  WordState word_ = 0;
  WideState wide_;
  std::vector<LogEntry> memory_;
  LogRing ring_;
};

}  // namespace weir
