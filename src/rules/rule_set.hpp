// SPDX-License-Identifier: Apache-2.0
// The rules of one configuration, compiled: a request goes in, the limits that it meets come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/key.hpp"
#include "limit/compiled.hpp"
#include "limit/shared.hpp"
#include "rules/path.hpp"
#include "rules/request.hpp"

namespace weir::rules {

/// Where the counters of a limit stand that instances share.
struct SharedLimit {
  std::uint16_t store = 0;  ///< its place among `Config::stores`
  OnStoreFailure on_failure = OnStoreFailure::deny;
  Limit share;  ///< the part of the limit that is this instance's own
};

/// One limit of one rule, or a limit called by its name.
struct RuleLimit {
  std::string name;  ///< the limit's name, or its text as written where it has none
  std::string rule;  ///< the rule's name; empty for a limit called by its name
  CompiledLimit limit;
  bool shadow = false;
  std::optional<SharedLimit> shared;  ///< nothing: the counters are this process's own
  std::uint32_t index = 0;            ///< unique within the rule set, from 0: metrics count by it
};

/// Where limits are counted that are in one shared store, be it those of a rule or those asked for
/// without one.
struct StorePlace {
  std::uint16_t store = 0;
  OnStoreFailure on_failure = OnStoreFailure::deny;
  std::uint64_t instances = 1;  ///< that share each limit

  [[nodiscard]] SharedLimit of(const Limit& limit) const {
    return {store, on_failure, share_of(limit, instances)};
  }
};

/// How a limit stands in `store`.
[[nodiscard]] inline std::optional<SharedLimit> shared_in(const std::optional<StorePlace>& store,
                                                          const Limit& limit) {
  return store ? std::optional(store->of(limit)) : std::nullopt;
}

/// A request is decided by so many limits at most.
inline constexpr std::size_t most_limits_of_request = 64;

/// A limit that a request meets.
struct Hit {
  const RuleLimit* limit;
  std::uint64_t cost;
  std::uint16_t part;  ///< 0: enforced; else one number for each shadow rule
  std::uint16_t key;   ///< which of `Match::keys` it is counted by
};

/// A rule whose path pattern matches.
struct RuleCandidate {
  std::uint32_t rule;
  std::uint32_t pattern;  ///< its place among the rule's path patterns
};

/// Memory that matching works in.
struct MatchScratch {
  NormalPath path;
  std::string host;
  std::string decoded;
  std::string lowered;
  std::vector<RuleCandidate> candidates;
};

/// What a request meets. Reused from request to request, so that matching allocates nothing.
class Match {
 public:
  enum class Verdict : std::uint8_t {
    limited,    ///< decide the hits (none: nothing limits the request)
    exempt,     ///< an `exempt` rule matches: admitted, nothing is counted
    forbidden,  ///< a key's part is missing and the rule says `missing: deny`
  };
  Verdict verdict = Verdict::limited;
  const std::string* rule = nullptr;  ///< the rule that exempts or forbids
  std::vector<Hit> hits;              ///< parts ascend
  std::vector<Key> keys;              ///< one for each rule that applies: the hash of its key parts
  MatchScratch scratch;               ///< for `RuleSet::match` alone

  void clear() noexcept {
    verdict = Verdict::limited;
    rule = nullptr;
    hits.clear();
    keys.clear();
  }
};

/// Immutable once loaded; many threads match against it at once.
class RuleSet {
 public:
  struct Impl;
  explicit RuleSet(std::unique_ptr<const Impl> impl);
  ~RuleSet();
  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;

  /// Fills `match` with what `request` meets. Key parts are hashed with `secret`.
  void match(const Request& request, const KeySecret& secret, Match& match) const;

  /// A limit of the file's `limits`, or null.
  [[nodiscard]] const RuleLimit* named_limit(std::string_view name) const noexcept;

  /// Every limit that can be met: the rules' (each rule and plan), then the named ones.
  [[nodiscard]] std::span<const RuleLimit* const> all_limits() const noexcept;

  /// Where limits that no rule has are counted: those asked by name, and those that come with the
  /// ask. Nothing: in this process.
  [[nodiscard]] const std::optional<StorePlace>& asked_store() const noexcept;

  /// The client's address by the trust that the file declares.
  [[nodiscard]] std::optional<Address> client_address(const Request& request) const noexcept;

  /// How many rules there are, with those that exempt.
  [[nodiscard]] std::size_t rule_count() const noexcept;

  /// The key that a rule counts the request by, as text for people: `ip 198.18.0.1`. Empty where
  /// there is no rule of that name.
  [[nodiscard]] std::string key_text(const Request& request, std::string_view rule) const;

  /// For people (`weir explain`): each rule with whether it applies and why not, its key, cost and
  /// limits.
  [[nodiscard]] std::string explain(const Request& request) const;

  /// The same for programs, as one JSON object.
  [[nodiscard]] std::string explain_json(const Request& request) const;

 private:
  std::unique_ptr<const Impl> impl_;
};

}  // namespace weir::rules
