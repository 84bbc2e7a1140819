// SPDX-License-Identifier: Apache-2.0
// A shared store for tests: a key table that can be far away, in several places, or out of reach.
#pragma once

#include <functional>
#include <vector>

#include "store/table.hpp"

namespace weir::limiter {

class SharedStoreDouble final : public Store {
 public:
  bool out_of_reach = false;
  bool answers_later = false;
  std::uint32_t places = 1;

  /// Of each batch that was asked: its requests, as letters by verb (`a` acquire, `p` peek, `d`
  /// debit, `r` refund), apart by blanks.
  std::vector<std::string> asked;

  Applied apply(StoreBatch& batch) noexcept override {
    note(batch);
    if (answers_later) {
      waiting_.push_back(&batch);
      return Applied::later;
    }
    decide(batch);
    return Applied::now;
  }

  void carry_over(Time now, std::span<const CarryOver> moves) noexcept override {
    table.carry_over(now, moves);
  }
  void reset(const Key& key, const CompiledLimit& limit) noexcept override {
    table.reset(key, limit);
  }
  [[nodiscard]] std::uint32_t place_of(const Key& subject) const noexcept override {
    return static_cast<std::uint32_t>(subject.lo % places);
  }

  /// Lets all that waits be answered.
  void answer() {
    for (auto* batch : std::exchange(waiting_, {})) {
      decide(*batch);
      batch->on_complete(*batch);
    }
  }

  store::Table table{{.memory_bytes = std::size_t{1} << 20}};

 private:
  void note(const StoreBatch& batch) {
    std::string text;
    for (std::size_t at = 0; at < batch.ops.size(); ++at) {
      if (at > 0 && batch.ops[at].request != batch.ops[at - 1].request) text += ' ';
      text += "apdr"[static_cast<int>(batch.ops[at].verb)];
    }
    asked.push_back(text);
  }

  void decide(StoreBatch& batch) noexcept {
    table.apply(batch);
    for (auto& outcome : batch.outcomes) {
      outcome.decision.authority = Authority::shared;
      if (out_of_reach) outcome = {.decision = {}, .status = Outcome::Status::unavailable};
    }
  }

  std::vector<StoreBatch*> waiting_;
};

}  // namespace weir::limiter
