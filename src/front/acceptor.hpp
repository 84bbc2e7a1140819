// SPDX-License-Identifier: Apache-2.0
// Takes connections from a listening socket and deals them out.
#pragma once

#include <functional>
#include <memory>

#include "front/listener.hpp"
#include "front/loop.hpp"

namespace weir::front {

/// Lives on one loop; ends before it does.
class Acceptor {
 public:
  using Deal = std::function<void(Accepted)>;

  /// `most` connections are open at once, counted by the loop's counters over all acceptors; what
  /// comes beyond is closed at once.
  Acceptor(Loop& loop, const Listener& listener, std::size_t most, Deal deal);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  struct Io;
  std::shared_ptr<Io> io_;
};

}  // namespace weir::front
