// SPDX-License-Identifier: Apache-2.0
// Counters that instances share, in Redis: each request is one question and one round trip.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "redis/options.hpp"
#include "store/store.hpp"

namespace boost::asio {
class io_context;
}

namespace weir::redis {

/// What happened beside what the clients count.
struct StoreStats {
  std::atomic<std::uint64_t> asked{0};           ///< requests that went to the store
  std::atomic<std::uint64_t> known_refusals{0};  ///< requests refused without asking
  std::atomic<std::uint64_t> broken_states{0};   ///< replies that are errors or no states
};

class RedisStore final : public Store {
 public:
  /// `clock` outlives the store; the store outlives its loops' parts. What is to be told of the
  /// connections is set in `client_stats()` before the first `attach`.
  RedisStore(const Options& options, const Clock& clock);
  ~RedisStore() override;

  /// The connections of one loop, and what it has under way. It must end on the thread of the loop,
  /// before `io`; what is unanswered then is answered `unavailable`.
  class LoopPart {
   public:
    virtual ~LoopPart() = default;
  };

  /// Called by the thread that runs `io`. From then on until the part ends `apply` is answered on
  /// this thread.
  [[nodiscard]] std::unique_ptr<LoopPart> attach(boost::asio::io_context& io);

  /// On a thread without a part all outcomes are `unavailable` at once. A decision is
  /// `Authority::shared`. Answers `now` where everything is known to be refused (deny_cache.hpp).
  Applied apply(StoreBatch& batch) noexcept override;

  /// The slot in a cluster; else all counters stand in one place.
  [[nodiscard]] std::uint32_t place_of(const Key& subject) const noexcept override;

  /// Batches that follow on this thread wait until it is done: two round trips, and at most once in
  /// a minute for a key.
  void carry_over(Time now, std::span<const CarryOver> moves) noexcept override;

  /// Of a counter without a subject that stands alone: use `forget`.
  void reset(const Key& key, const CompiledLimit& limit) noexcept override;

  /// Forgets the state that the op's key has at `now`; its other members say where it stands.
  /// Nothing is told of the end; what follows on this thread is answered after it.
  void forget(Time now, const Op& op) noexcept;

  [[nodiscard]] ClientStats& client_stats() noexcept { return client_stats_; }
  [[nodiscard]] const StoreStats& stats() const noexcept { return stats_; }

 private:
  class Part;

  [[nodiscard]] Part* part_of_this_thread() const noexcept;

  const Options options_;
  const Clock& clock_;
  ClientStats client_stats_;
  StoreStats stats_;

  // Counted up where units of a key were given back, so that all loops forget that it was refused.
  std::array<std::atomic<std::uint32_t>, 1024> given_back_{};
};

}  // namespace weir::redis
