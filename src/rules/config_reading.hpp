// SPDX-License-Identifier: Apache-2.0
// The sections of weir.yaml, each read by its own function. What is wrong becomes a problem, and
// reading goes on: the result counts only where no error was met.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/limit.hpp>

#include "rules/compiled_rules.hpp"
#include "rules/config.hpp"
#include "rules/reader.hpp"

namespace weir::rules {

inline constexpr std::size_t most_rules = 10'000;
inline constexpr std::size_t most_named_limits = 10'000;
inline constexpr std::size_t most_limits_of_rule = 16;
inline constexpr std::size_t most_plans = 1'000;
inline constexpr std::size_t most_values_of_condition = 1'000;

/// `listen`, `loops`, `headers`, `connections`, `memory`, `state`, `resp`.
void read_server(Reader& reader, const Section& root, Config& config);

/// `clients`.
[[nodiscard]] ClientTrust read_clients(Reader& reader, const Value& value);

/// A limit as a file has it: with its name (where it has none, its text) and its place.
struct FileLimit {
  std::string name;
  Limit limit;
  Place place;
};

/// A limit: the short form, or a mapping with `rate`, `burst`, `algorithm` (and a `name` where
/// `may_be_named`).
[[nodiscard]] std::optional<FileLimit> read_limit(Reader& reader, const Value& value,
                                                  bool may_be_named);

/// The name of a limit: no rate can be taken for it.
void check_limit_name(Reader& reader, const Value& place, std::string_view name);

/// `limits`. One that is wrong is known, so that its uses are no further problems, and is nothing.
using NamedLimits = std::map<std::string, std::optional<FileLimit>, std::less<>>;
[[nodiscard]] NamedLimits read_named_limits(Reader& reader, const Value& value);

/// The plans' names with their numbers, in the order in which they are met.
class PlanNames {
 public:
  explicit PlanNames(Plans& plans) : plans_(plans) {}

  void set_default(std::string_view name, const Place& place);
  [[nodiscard]] bool is_set() const noexcept { return !plans_.names.front().empty(); }
  [[nodiscard]] const std::string& default_name() const noexcept { return plans_.names.front(); }

  /// The plan's number. The place is kept where it is the first.
  std::uint32_t number_of(std::string_view name, const Place& place);

  [[nodiscard]] const std::map<std::string, std::uint32_t, std::less<>>& numbers() const noexcept {
    return numbers_;
  }
  [[nodiscard]] const Place& place_of(std::uint32_t number) const noexcept {
    return places_[number];
  }

 private:
  Plans& plans_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<Place> places_;
};

/// `plans`.
void read_plans(Reader& reader, const Value& value, Plans& plans, PlanNames& names);

/// The conditions among the keys of `match` (`method`, `host`, `path`, `header`, `cidr`) or of a
/// cost.
[[nodiscard]] Condition read_condition(Reader& reader, const Section& section);

/// A part of a key, checked against what the rules know.
struct KeySurroundings {
  bool has_route = false;         ///< the rule's `match` has a path
  bool has_known_values = false;  ///< the plans have a map
};
[[nodiscard]] std::optional<KeyPart> read_key_part(Reader& reader, const Value& value,
                                                   const KeySurroundings& around);

/// `store` and `on_store_failure`, of the file and of its rules.
class Stores {
 public:
  /// Shared stores are put into `all`.
  Stores(Reader& reader, const Overrides& overrides, std::vector<StoreConfig>& all);

  /// The file's own.
  void read(const Section& root);

  /// Where a rule's counters stand; nothing: in this process.
  [[nodiscard]] std::optional<StorePlace> of_rule(const Section& rule, const Value& place);

  /// The same for limits that no rule has.
  [[nodiscard]] std::optional<StorePlace> of_asked() const;

 private:
  [[nodiscard]] std::optional<std::string> read_url(const Value& value);
  void read_map(const Value& value, StoreConfig& store);
  [[nodiscard]] std::optional<std::uint16_t> named_by(const Value& value);
  void check_instances(std::optional<OnStoreFailure> on_failure, std::uint16_t store,
                       const Value* place);
  [[nodiscard]] static bool is_memory(std::string_view url);

  Reader& reader_;
  const Overrides& overrides_;
  std::vector<StoreConfig>& all_;
  std::optional<std::uint16_t> of_file_;
  std::optional<OnStoreFailure> asked_;
};

/// What rules are read against, and where they go.
struct RulesContext {
  Reader& reader;
  Stores& stores;
  const NamedLimits& limits;
  PlanNames& plans;
  RuleSet::Impl& impl;
};

struct PlacedLimit {
  const RuleLimit* limit;
  Place place;
};

/// The `limits` of a rule, put into it. All of them are returned, each once.
[[nodiscard]] std::vector<PlacedLimit> read_rule_limits(const RulesContext& around,
                                                        const Value& value,
                                                        const std::optional<StorePlace>& store,
                                                        Rule& rule);

/// `rules`.
void read_rules(const RulesContext& around, const Value& value);

/// `LINE:COLUMN`.
[[nodiscard]] std::string place_text(const Place& place);

}  // namespace weir::rules
