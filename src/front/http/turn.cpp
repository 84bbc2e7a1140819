// SPDX-License-Identifier: Apache-2.0
#include "front/http/turn.hpp"

namespace weir::front {

Turn& TurnPool::take(Time now) {
  if (free_.empty()) {
    turns_.push_back(std::make_unique<Turn>(engine_));
    free_.reserve(turns_.size());  // giving back never allocates
    free_.push_back(turns_.back().get());
  }
  Turn& turn = *free_.back();
  free_.pop_back();
  turn.pool = this;
  turn.answers.clear();
  turn.tells_hits.clear();
  turn.decided = false;
  turn.batch.clear(now);
  return turn;
}

bool TurnPool::decide(Turn& turn, Waker* waker) {
  turn.waker = waker;
  turn.batch.owner = &turn;
  turn.batch.on_decided = [](limiter::Batch& batch) noexcept {
    Turn& decided = *static_cast<Turn*>(batch.owner);
    decided.decided = true;
    if (decided.waker != nullptr) {
      decided.waker->wake();
    } else {
      decided.pool->give_back(decided);
    }
  };
  return turn.batch.decide() == Store::Applied::now;
}

}  // namespace weir::front
