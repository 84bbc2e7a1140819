// SPDX-License-Identifier: Apache-2.0
// A batch's inside: asks become hits, hits become ops; the store's outcomes become verdicts.
//
//     asks   [ ask 0          | ask 1 | ... ]     what a door asked
//     hits   [ h0 | h1 | h2   | h3    | ... ]     limits that it met: enforced, then shadow
//     ops    [ o0 | o1        | o2    | ... ]     hits with one key in one part are one op
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "limiter/adhoc.hpp"
#include "limiter/engine.hpp"
#include "limiter/engine_state.hpp"

namespace weir::limiter {

struct Batch::State {
  struct Ask {
    std::uint32_t first_hit = 0;
    std::uint32_t hit_count = 0;
    std::uint32_t enforced = 0;
    Verb verb = Verb::acquire;
    bool forbidden = false;
    bool too_many = false;
    const std::string* rule = nullptr;
  };

  /// What a hit is decided by.
  struct Source {
    Key key{};
    Key subject{};                                           // the key without the limit's salt
    const SharedTerms* shared = nullptr;                     // null: counted in this process
    const std::vector<Predecessor>* predecessors = nullptr;  // those of a limit that changed
    std::uint32_t op = 0;
    std::uint16_t part = 0;
  };

  /// The batch as the store sees it; `state` leads back from its completion.
  struct Pending : StoreBatch {
    State* state = nullptr;
  };

  State(Engine& engine_in, Batch& self_in) : engine(*engine_in.state_), self(self_in) {
    refresh_rules();
  }
  ~State() { engine.tallies.close(tally); }

  void refresh_rules();
  void add_hit(const rules::RuleLimit& limit, std::uint64_t cost, const Source& source);
  void add_adhoc(const Limit& limit, const Key& key, std::uint64_t cost);
  void add_match(const rules::Request& request);
  void close_ask();
  void sort_by_part(Ask& ask);
  void make_ops(const Ask& ask);
  std::uint32_t op_for(const HitVerdict& hit, const Source& source, std::size_t first_op,
                       Verb verb);
  void carry_over_from(const std::vector<Predecessor>& predecessors, const Op& op);
  [[nodiscard]] static Source source_of(const Key& subject, const LimitIdentity& identity);
  [[nodiscard]] bool admitted(const Op& op) const noexcept;
  void conclude_all() noexcept;
  Verdict conclude_one(const Ask& ask) noexcept;
  void count(const Ask& ask, std::span<const HitVerdict> met) noexcept;

  Index begin_ask(Verb verb) {
    if (in_all) return static_cast<Index>(asks.size() - 1);
    asks.push_back({.first_hit = static_cast<std::uint32_t>(hits.size()), .verb = verb});
    return static_cast<Index>(asks.size() - 1);
  }
  void end_ask() {
    if (!in_all) close_ask();
  }

  Engine::State& engine;
  Batch& self;
  std::uint64_t version = 0;
  std::shared_ptr<const Ruling> ruling;
  std::shared_ptr<Tally> tally;
  AdhocLimits adhoc;
  rules::Match match;

  bool in_all = false;
  std::uint16_t parts_of_ask = 1;
  std::vector<Ask> asks;
  std::vector<HitVerdict> hits;
  std::vector<Source> sources;  // one for each hit
  std::vector<Op> ops;
  std::vector<Outcome> outcomes;
  std::vector<CarryOver> moves;
  std::vector<Verdict> verdicts;
  Pending pending;
};

}  // namespace weir::limiter
