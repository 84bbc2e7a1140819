// SPDX-License-Identifier: Apache-2.0
// What the engine and its batches share.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "limiter/engine.hpp"
#include "limiter/ruling.hpp"
#include "limiter/tally.hpp"

namespace weir::limiter {

struct Engine::State {
  State(std::shared_ptr<const rules::RuleSet> rules, Store& store_in, const KeySecret& secret_in)
      : store(store_in),
        secret(secret_in),
        ruling(std::make_shared<const Ruling>(std::move(rules), secret, nullptr)) {}

  Store& store;
  const KeySecret secret;
  TallyBook tallies;

  /// A batch looks at the version each time it is cleared, and takes the lock only where it
  /// changed.
  std::atomic<std::uint64_t> version{1};
  mutable std::mutex ruling_mutex;
  std::shared_ptr<const Ruling> ruling;  // under ruling_mutex
};

}  // namespace weir::limiter
