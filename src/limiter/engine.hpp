// SPDX-License-Identifier: Apache-2.0
// The engine: asks of any door go in as one batch, verdicts come out.
//
// A loop owns one or more batches. It fills one, has it decided, and reads the verdicts:
//
//     batch.clear(clock.now());
//     const auto first = batch.add_request(request, Verb::acquire);
//     const auto second = batch.add_limit(limit, key_parts, cost, Verb::acquire);
//     if (batch.decide() == Store::Applied::now) render(batch.verdict(first),
//     batch.verdict(second));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_set.hpp"
#include "store/store.hpp"

namespace weir::limiter {

/// One limit that an ask met, with its own numbers.
struct HitVerdict {
  const rules::RuleLimit* limit = nullptr;
  std::uint64_t cost = 0;
  Outcome outcome;
};

enum class Status : std::uint8_t {
  allowed,
  refused,      ///< over a limit: 429
  unavailable,  ///< the store or a full table can't tell, and the policy is to deny: 503
  forbidden,    ///< a part of a key is missing and the rule says `missing: deny`: 403
};

/// The answer to one ask.
struct Verdict {
  Status status = Status::allowed;
  const rules::RuleLimit* limit =
      nullptr;  ///< the one that decides; null: no enforced limit was met, or none could be asked
  Decision decision;                  ///< its numbers; `allowed` and nothing else without one
  Duration delay{};                   ///< the longest wait of the enforced limits, where admitted
  const std::string* rule = nullptr;  ///< the rule that exempts or forbids, where one does
  std::span<const HitVerdict> hits;   ///< every limit met: the enforced ones, then the shadow ones
};

/// The parts of a key as a caller names them (`["user-1"]`).
using KeyParts = std::span<const std::string_view>;

class Engine;
class Ruling;

/// What an admitted request took from its counters, kept to give it back: a place in a queue whose
/// caller went away while its answer was held. Empty until `Batch::charge` makes one.
class Charge {
 public:
  [[nodiscard]] bool empty() const noexcept { return ops_.empty(); }

 private:
  friend class Batch;
  std::shared_ptr<const Ruling> ruling_;  // keeps the limits that the ops name
  std::vector<Op> ops_;
};

/// Asks and their verdicts. Belongs to one thread at a time. It keeps what memory it once took, so
/// that in the long run deciding allocates nothing. The door bounds how much it puts into one
/// batch.
class Batch {
 public:
  using Index = std::uint32_t;

  explicit Batch(Engine& engine);
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// Empties the batch: what follows is decided at `now` by the rules in force from here on.
  /// Verdicts taken from it before end here.
  void clear(Time now);

  /// The rules that this batch is decided by, from `clear` on.
  [[nodiscard]] const rules::RuleSet& rules() const noexcept;

  /// A request that the rules match. `cost`, where given in the request, replaces the rules'.
  /// The request's views are read before this returns.
  Index add_request(const rules::Request& request, Verb verb);

  /// A limit of `rules().named_limit(...)`, counted by (named limit, key).
  Index add_named(const rules::RuleLimit& limit, KeyParts key, std::uint64_t cost, Verb verb);

  /// A limit that came with the ask, counted by (its numbers and algorithm, key).
  Index add_limit(const Limit& limit, KeyParts key, std::uint64_t cost, Verb verb);

  /// As redis-cell counts: by the key alone, whatever numbers come with it.
  Index add_throttle(const Limit& limit, std::string_view key, std::uint64_t cost, Verb verb);

  /// Gives back what `charge` says was taken.
  Index add_refund(const Charge& charge);

  /// What is added until `end_all` is one ask, all or nothing, with one verdict (that of the index
  /// returned here) and one verb. An ask that meets more than `most_ops_of_request` limits is
  /// `unavailable`.
  Index begin_all(Verb verb);
  void end_all();

  /// Has the store decide all asks. `now`: the verdicts are there. `later`: `on_decided` is called
  /// once, on this thread's loop, and until then the batch is left alone.
  Store::Applied decide(Time deadline = Time::max());
  void (*on_decided)(Batch&) noexcept = nullptr;
  void* owner = nullptr;  ///< for `on_decided`: who asked

  [[nodiscard]] const Verdict& verdict(Index index) const noexcept;

  /// What the ask of `add_request` with this verdict took: nothing unless it was acquired and
  /// admitted.
  [[nodiscard]] Charge charge(Index index) const;

  /// What the store is asked for all of them, as it stands until `clear`.
  [[nodiscard]] std::span<const Op> ops() const noexcept;

  [[nodiscard]] std::size_t size() const noexcept;  ///< asks
  [[nodiscard]] Time now() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How often a limit of a rule came to an outcome.
struct DecisionCount {
  std::string rule;   ///< empty for a limit called by its name
  std::string limit;  ///< `*` for limits that came with the ask: their texts are not bounded
  bool shadow = false;
  bool shared = false;  ///< counted in a store that instances share
  std::uint64_t allowed = 0;
  std::uint64_t refused = 0;
  std::uint64_t unavailable = 0;
  std::uint64_t fallback = 0;  ///< of all these: by the failure policy, the store was out of reach
};

/// What decides: the rules in force and the store. All members may be called by many threads.
class Engine {
 public:
  /// `store` must outlive the engine.
  Engine(std::shared_ptr<const rules::RuleSet> rules, Store& store, const KeySecret& secret);
  ~Engine();

  /// Puts other rules in force for every batch cleared from now on. Counters stay where their rule
  /// and limit keep their names; where a limit's numbers changed, the units used are carried over.
  void replace_rules(std::shared_ptr<const rules::RuleSet> rules);

  [[nodiscard]] std::shared_ptr<const rules::RuleSet> rules() const;

  /// Decisions since the start, for every limit ever in force. Shadow limits count what they would
  /// have done.
  [[nodiscard]] std::vector<DecisionCount> decision_counts() const;

  /// Asks whose verdict was forbidden, or exempt, since the start.
  [[nodiscard]] std::uint64_t forbidden_count() const noexcept;
  [[nodiscard]] std::uint64_t exempt_count() const noexcept;

  struct State;

 private:
  friend class Batch;
  std::unique_ptr<State> state_;  // shared with the batches, which end before the engine
};

}  // namespace weir::limiter
