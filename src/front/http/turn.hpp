// SPDX-License-Identifier: Apache-2.0
// One turn of a connection: the requests that came together, asked as one batch and answered in
// order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "front/http_answer.hpp"
#include "front/session.hpp"
#include "limiter/engine.hpp"

namespace weir::front {

/// An answer to come.
struct PendingAnswer {
  enum class Kind : std::uint8_t {
    ready,  ///< it asks nothing: `text` is the answer
    check,
    auth,
  } kind = Kind::ready;
  Exchange exchange;
  bool deny_as_403 = false;
  limiter::Batch::Index first = 0;  ///< of the asks in the batch; of `auth` the only one
  std::size_t first_item = 0;       ///< of a `check`: its items' place in `Turn::tells_hits`
  std::size_t items = 0;
  std::string text;
};

class TurnPool;

struct Turn {
  explicit Turn(limiter::Engine& engine) : batch(engine) {}

  /// The next answer. The reference ends with the next call.
  PendingAnswer& add_answer(const Exchange& exchange) {
    answers.emplace_back().exchange = exchange;
    return answers.back();
  }

  limiter::Batch batch;
  std::vector<PendingAnswer> answers;
  std::vector<bool> tells_hits;  ///< for each item of each check
  bool decided = false;
  Waker* waker = nullptr;  ///< of the connection that waits for the decision; null: none does
  TurnPool* pool = nullptr;
};

/// The turns of one loop. A turn is used again, so that in the long run none is made.
class TurnPool {
 public:
  explicit TurnPool(limiter::Engine& engine) : engine_(engine) {}

  /// An empty turn, whose asks are decided at `now`.
  [[nodiscard]] Turn& take(Time now);
  void give_back(Turn& turn) { free_.push_back(&turn); }

  /// Decides what the turn's batch holds. False where the store answers later: then `waker` is
  /// woken, or, where there is none, the turn comes back by itself.
  [[nodiscard]] bool decide(Turn& turn, Waker* waker);

  /// Whoever waits for the turn goes away: it comes back by itself.
  static void abandon(Turn& turn) noexcept { turn.waker = nullptr; }

 private:
  limiter::Engine& engine_;
  std::vector<std::unique_ptr<Turn>> turns_;
  std::vector<Turn*> free_;
};

}  // namespace weir::front
