// SPDX-License-Identifier: Apache-2.0
// The admin door: the pages for operators and nothing else, so that it can listen where callers of
// the other doors do not reach.
#pragma once

#include <memory>

#include "front/metrics.hpp"
#include "front/server.hpp"

namespace weir::front {

class AdminDoor final : public Door {
 public:
  /// `source` must outlive the door.
  explicit AdminDoor(const StatusSource& source) : source_(source) {}

  [[nodiscard]] std::unique_ptr<SessionFactory> on_loop(LoopContext& loop) override;

 private:
  const StatusSource& source_;
};

/// Makes the sessions of one loop.
[[nodiscard]] std::unique_ptr<SessionFactory> make_admin_sessions(const StatusSource& source);

}  // namespace weir::front
