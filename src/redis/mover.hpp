// SPDX-License-Identifier: Apache-2.0
// Moves the states of counters whose limits were changed by a reload.
//
//     look    both keys' states, one round trip
//     move    where the old one holds units and the new one none: one more, by carry.lua, which
//             does nothing where one of them has changed meanwhile
//
// A key is tried once in a minute: by then no instance counts by the old limit any more, or its
// units are few.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "redis/client.hpp"
#include "redis/codec.hpp"
#include "redis/pool.hpp"

namespace weir::redis {

/// Of one loop.
class Mover {
 public:
  /// What moves at `now`, by the store's time, in `slot`.
  struct Task {
    Time now;
    Time deadline;
    std::uint16_t slot;
    CarryOver move;
  };

  /// `on_idle` is called each time that nothing is under way any more, never from within `start`.
  Mover(Client& client, const Codec& codec, std::function<void()> on_idle)
      : client_(client), codec_(codec), on_idle_(std::move(on_idle)), tried_(1024) {}

  /// Whether the move was tried in the minute before `now`; if not, it is noted.
  [[nodiscard]] bool is_tried(Time now, const Key& to) noexcept;

  void start(const Task& task);

  [[nodiscard]] bool is_busy() const noexcept { return busy_ > 0; }

 private:
  struct Moving : Exchange {
    Mover* mover = nullptr;
    Task task;
    std::array<Op, 2> ops;  // from, to
    std::array<std::string, 2> seen;
    std::array<Found, 2> found;
    bool is_known = false;
  };

  struct Tried {
    Key to;
    Time at;
  };

  static void look(Moving& moving, const wire::resp::Reply& reply) noexcept;
  void looked(Moving& moving, Exchange::End end) noexcept;
  void done(Moving& moving, Exchange::End end) noexcept;

  Client& client_;
  Codec codec_;
  std::function<void()> on_idle_;
  std::vector<Tried> tried_;
  Pool<Moving> movings_;
  std::size_t busy_ = 0;
};

}  // namespace weir::redis
