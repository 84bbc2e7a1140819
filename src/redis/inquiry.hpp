// SPDX-License-Identifier: Apache-2.0
// Questions to a server on a connection that carries nothing else, without I/O.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "redis/input.hpp"
#include "redis/options.hpp"
#include "wire/resp_reply.hpp"

namespace weir::redis {

class Inquiry {
 public:
  using Command = std::vector<std::string>;

  /// Logs in, where there is a password, and asks.
  Inquiry(const Login& login, const std::vector<Command>& commands);

  /// To be written, once.
  [[nodiscard]] const std::string& output() const noexcept { return output_; }

  [[nodiscard]] std::span<char> room() { return input_.room(); }
  void arrived(std::size_t count) noexcept { input_.added(count); }

  enum class Progress : std::uint8_t { need_more, reply, failed };
  /// Reads the next reply, if it is all there. It fails where the login is refused, and where what
  /// came is no reply.
  Progress next();
  /// What `next` has read; valid until `next` or `room`.
  [[nodiscard]] const wire::resp::Reply& reply() const noexcept { return reply_; }

 private:
  std::string output_;
  Input input_;
  wire::resp::Reply reply_;
  std::size_t logins_ = 0;  // without their reply
};

}  // namespace weir::redis
