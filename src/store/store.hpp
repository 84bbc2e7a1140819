// SPDX-License-Identifier: Apache-2.0
// The seam between deciding and keeping: a batch of ops goes in, their outcomes come out.
//
// One interface serves a store that answers at once and one that answers later. The key table
// completes inline, with no allocation and no hop. A networked store keeps the batch and completes
// it later on the loop that asked; many batches may be in flight, each with its deadline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <weir/clock.hpp>
#include <weir/decision.hpp>

#include "base/key.hpp"
#include "limit/compiled.hpp"
#include "limit/shared.hpp"
#include "limit/step.hpp"

namespace weir {

/// What a limit has beside its numbers where its counters stand in a store that instances share.
struct SharedTerms {
  std::uint16_t store = 0;  ///< which of the configured stores
  OnStoreFailure on_failure = OnStoreFailure::deny;
  CompiledLimit share;  ///< the part of the limit that is this instance's own, for `local`
  Key pack{};           ///< Where a rule has several limits: the rule's salt. Else zero.
  Duration
      longest_state{};  ///< how long a state of any limit of the pack can matter, without debts
};

/// What one limit is asked for one key. The limit must outlive the batch.
///
/// Ops with the same `request` stand next to each other and are one request. Those of its part 0
/// are enforced: for `acquire` they are all or nothing. Every other part is a shadow rule: all or
/// nothing on its own, and charged only where part 0 admits (an empty part 0 admits). The parts of
/// a request stand in ascending order; the keys of one part differ from each other. The other verbs
/// apply to each op on its own.
struct Op {
  Key key;
  Key subject{};  ///< Whom it limits: the key without the limit. Counters of one stand together.
  const CompiledLimit* limit = nullptr;
  const SharedTerms* shared = nullptr;  ///< null: the counter is this process's own
  std::uint64_t cost = 1;
  std::uint32_t request = 0;
  std::uint16_t part = 0;
  Verb verb = Verb::acquire;
};

/// A request that may have at most so many ops.
inline constexpr std::size_t most_ops_of_request = 64;

/// What became of an op.
struct Outcome {
  /// The limit's own verdict and numbers. Where another op of the part refuses, nothing was charged
  /// and the numbers are those that stand.
  Decision decision;

  enum class Status : std::uint8_t {
    decided,      ///< `decision` holds.
    unavailable,  ///< The store was out of reach; the failure policy decides.
    let_through,  ///< The same, and the policy is to allow: there are no numbers.
    table_full,   ///< No room for a new key, and the table is set to deny newcomers.
  } status = Status::decided;

  /// Whether the request may go on, for all that this limit says.
  [[nodiscard]] bool admits() const noexcept {
    return status == Status::let_through || (status == Status::decided && decision.allowed);
  }
};

/// Ops in, outcomes out. The asker owns it, and keeps it and what its spans name alive and unmoved
/// until it is complete.
struct StoreBatch {
  Time now;                     ///< Read once, at the edge.
  Time deadline = Time::max();  ///< When the asker stops waiting.
  std::span<const Op> ops;
  std::span<Outcome> outcomes;  ///< As many as `ops`.

  /// Called once, on the loop that asked, where `apply` answered `later`.
  void (*on_complete)(StoreBatch&) noexcept = nullptr;
};

/// A counter whose limit was changed by a reload: its state moves from one key to another.
struct CarryOver {
  Key from;
  const CompiledLimit* before = nullptr;
  Key to;
  const CompiledLimit* after = nullptr;
  Key subject{};
  const SharedTerms* shared_before = nullptr;
  const SharedTerms* shared_after = nullptr;
};

class Store {
 public:
  enum class Applied : std::uint8_t {
    now,    ///< The outcomes are filled in. `on_complete` is not called.
    later,  ///< `on_complete` will be called by this thread's loop.
  };

  virtual ~Store() = default;

  /// Decides all ops of the batch at `batch.now`. May be called by many threads at once.
  virtual Applied apply(StoreBatch& batch) noexcept = 0;

  /// Where a subject's counters stand. Ops of one request with different places cannot be decided
  /// in one step here, and are asked apart.
  [[nodiscard]] virtual std::uint32_t place_of(const Key& subject) const noexcept {
    static_cast<void>(subject);
    return 0;
  }

  /// Where `from` holds a state and `to` holds none, moves the units used (`carried_units`) and
  /// forgets `from`. Where not, changes nothing.
  virtual void carry_over(Time now, std::span<const CarryOver> moves) noexcept = 0;

  /// Forgets a key's state: its next request finds it fresh. An unknown key is no error.
  virtual void reset(const Key& key, const CompiledLimit& limit) noexcept = 0;
};

}  // namespace weir
