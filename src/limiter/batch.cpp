// SPDX-License-Identifier: Apache-2.0
// The batch as doors use it: how each kind of ask finds its counters.
#include <algorithm>
#include <cassert>

#include "limiter/batch_state.hpp"
#include "limiter/engine.hpp"

namespace weir::limiter {

Batch::Batch(Engine& engine) : state_(std::make_unique<State>(engine, *this)) {}

Batch::~Batch() = default;

void Batch::clear(Time now) {
  State& s = *state_;
  assert(!s.in_all);
  s.refresh_rules();
  s.adhoc.trim();
  s.asks.clear();
  s.hits.clear();
  s.sources.clear();
  s.ops.clear();
  s.moves.clear();
  s.pending.now = now;
}

const rules::RuleSet& Batch::rules() const noexcept { return state_->ruling->rules(); }

Batch::Index Batch::add_request(const rules::Request& request, Verb verb) {
  const Index index = state_->begin_ask(verb);
  state_->add_match(request);
  state_->end_ask();
  return index;
}

Batch::Index Batch::add_named(const rules::RuleLimit& limit, KeyParts key, std::uint64_t cost,
                              Verb verb) {
  State& s = *state_;
  KeyBuilder builder(s.engine.secret);
  for (const auto part : key) builder.add(part);
  const Index index = s.begin_ask(verb);
  s.add_hit(limit, cost, State::source_of(builder.key(), s.ruling->identity(limit)));
  s.end_ask();
  return index;
}

Batch::Index Batch::add_limit(const Limit& limit, KeyParts key, std::uint64_t cost, Verb verb) {
  State& s = *state_;
  KeyBuilder builder(s.engine.secret);
  builder.add("limit of an ask");
  builder.add(static_cast<std::uint64_t>(limit.algorithm()));
  builder.add(limit.count());
  builder.add(limit.capacity());
  builder.add(static_cast<std::uint64_t>(limit.period().count()));
  for (const auto part : key) builder.add(part);
  const Index index = s.begin_ask(verb);
  s.add_adhoc(limit, builder.key(), cost);
  s.end_ask();
  return index;
}

Batch::Index Batch::add_throttle(const Limit& limit, std::string_view key, std::uint64_t cost,
                                 Verb verb) {
  State& s = *state_;
  KeyBuilder builder(s.engine.secret);
  builder.add("throttle");
  builder.add(key);
  const Index index = s.begin_ask(verb);
  s.add_adhoc(limit, builder.key(), cost);
  s.end_ask();
  return index;
}

Batch::Index Batch::add_refund(const Charge& charge) {
  State& s = *state_;
  const Index index = s.begin_ask(Verb::refund);
  for (Op op : charge.ops_) {
    op.request = index;
    op.verb = Verb::refund;
    s.ops.push_back(op);
  }
  s.end_ask();
  return index;
}

Charge Batch::charge(Index index) const {
  const State& s = *state_;
  Charge charge;
  if (s.asks[index].verb != Verb::acquire || !s.verdicts[index].decision.allowed) return charge;
  charge.ruling_ = s.ruling;
  auto op = std::ranges::lower_bound(s.ops, index, {}, &Op::request);
  for (; op != s.ops.end() && op->request == index; ++op) {
    if (s.admitted(*op)) charge.ops_.push_back(*op);
  }
  return charge;
}

Batch::Index Batch::begin_all(Verb verb) {
  assert(!state_->in_all);
  const Index index = state_->begin_ask(verb);
  state_->in_all = true;
  return index;
}

void Batch::end_all() {
  assert(state_->in_all);
  state_->in_all = false;
  state_->close_ask();
}

Store::Applied Batch::decide(Time deadline) {
  State& s = *state_;
  s.outcomes.resize(s.ops.size());
  s.verdicts.resize(s.asks.size());
  if (!s.moves.empty()) s.engine.store.carry_over(s.pending.now, s.moves);
  s.pending.deadline = deadline;
  s.pending.ops = s.ops;
  s.pending.outcomes = s.outcomes;
  s.pending.state = &s;
  s.pending.on_complete = [](StoreBatch& batch) noexcept {
    State& state = *static_cast<State::Pending&>(batch).state;
    state.conclude_all();
    if (state.self.on_decided != nullptr) state.self.on_decided(state.self);
  };
  const auto applied = s.engine.store.apply(s.pending);
  if (applied == Store::Applied::now) s.conclude_all();
  return applied;
}

const Verdict& Batch::verdict(Index index) const noexcept { return state_->verdicts[index]; }

std::span<const Op> Batch::ops() const noexcept { return state_->ops; }

std::size_t Batch::size() const noexcept { return state_->asks.size(); }

Time Batch::now() const noexcept { return state_->pending.now; }

}  // namespace weir::limiter
