// SPDX-License-Identifier: Apache-2.0
// Asks several servers in turn until one gives an answer that will do.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "redis/inquiry.hpp"
#include "redis/stream.hpp"

namespace weir::redis {

struct Question {
  std::vector<Address> servers;
  Login login;
  Inquiry::Command command;
  TlsFiles* tls = nullptr;
  Duration limit{};  ///< for each of them, to connect; and as much again to answer
};

class Asker {
 public:
  /// Whether the answer of the server at `asked` will do.
  using Accept = std::function<bool(const wire::resp::Reply& answer, const Address& asked)>;
  using Done = std::function<void(bool is_answered)>;

  /// Calls back once, later, unless it is destroyed before.
  Asker(boost::asio::io_context& io, Question question, Accept accept, Done done);
  ~Asker();
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace weir::redis
