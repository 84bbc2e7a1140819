// SPDX-License-Identifier: Apache-2.0
#include "limiter/engine.hpp"

#include "limiter/engine_state.hpp"

namespace weir::limiter {

Engine::Engine(std::shared_ptr<const rules::RuleSet> rules, Store& store, const KeySecret& secret)
    : state_(std::make_unique<State>(std::move(rules), store, secret)) {}

Engine::~Engine() = default;

void Engine::replace_rules(std::shared_ptr<const rules::RuleSet> rules) {
  const std::lock_guard lock(state_->ruling_mutex);
  state_->ruling =
      std::make_shared<const Ruling>(std::move(rules), state_->secret, state_->ruling.get());
  state_->version.fetch_add(1, std::memory_order_release);
}

std::shared_ptr<const rules::RuleSet> Engine::rules() const {
  const std::lock_guard lock(state_->ruling_mutex);
  return state_->ruling->shared_rules();
}

std::vector<DecisionCount> Engine::decision_counts() const { return state_->tallies.counts(); }

std::uint64_t Engine::forbidden_count() const noexcept { return state_->tallies.forbidden(); }

std::uint64_t Engine::exempt_count() const noexcept { return state_->tallies.exempt(); }

}  // namespace weir::limiter
