// SPDX-License-Identifier: Apache-2.0
// A shared store for programs without a loop: each call waits for its answers.
#pragma once

#include <memory>

#include "redis/store.hpp"

namespace weir::redis {

/// Used by the thread that made it, alone.
class BlockingStore final : public Store {
 public:
  /// Waits two seconds for an answer, or longer where `options.timeout` is. `clock` outlives it:
  /// a real one, for it measures the wait; batches may tell another time.
  BlockingStore(Options options, const Clock& clock);
  ~BlockingStore() override;

  /// Always answers `now`.
  Applied apply(StoreBatch& batch) noexcept override;
  [[nodiscard]] std::uint32_t place_of(const Key& subject) const noexcept override;
  void carry_over(Time now, std::span<const CarryOver> moves) noexcept override;
  void reset(const Key& key, const CompiledLimit& limit) noexcept override;

  /// The same as `RedisStore::forget`. Whether it is done: false where the store is out of reach.
  bool forget(Time now, const Op& op) noexcept;

  [[nodiscard]] ClientStats& client_stats() noexcept;
  [[nodiscard]] const StoreStats& stats() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir::redis
