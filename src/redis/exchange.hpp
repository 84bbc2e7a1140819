// SPDX-License-Identifier: Apache-2.0
// One question to the store and its answers: commands that go together to the node that owns a
// slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weir/clock.hpp>

#include "wire/resp_reply.hpp"

namespace weir::redis {

/// Commands that are written in one piece, in this order, and answered one by one. The asker owns
/// it, and keeps it alive and unmoved until `on_end`.
struct Exchange {
  /// The cluster slot of every key in it; of no account outside of a cluster.
  std::uint16_t slot = 0;

  /// When the asker stops waiting, by the client's clock.
  Time deadline = Time::max();

  std::string bytes;                ///< The commands, in RESP.
  std::vector<std::uint32_t> ends;  ///< Where each of them ends in `bytes`.

  /// Called for each command with its reply, an error reply too; `reply` is valid during the call.
  /// Redirections and lost scripts are dealt with before.
  void (*on_reply)(Exchange&, std::size_t command,
                   const wire::resp::Reply& reply) noexcept = nullptr;

  enum class End : std::uint8_t {
    replied,      ///< Every command has its reply.
    unavailable,  ///< Nothing was written, or it was refused before it ran: nothing has changed.
    unknown,      ///< Written and not answered in time: it may have run, and is never sent again.
  };

  /// Called once, last; never from within `Client::send`.
  void (*on_end)(Exchange&, End end) noexcept = nullptr;
};

}  // namespace weir::redis
