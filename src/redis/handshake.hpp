// SPDX-License-Identifier: Apache-2.0
// What is said on a new connection before it carries decisions, without I/O.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "redis/options.hpp"
#include "wire/resp_reply.hpp"

namespace weir::redis {

/// AUTH, SELECT, CLIENT SETNAME, ROLE, SCRIPT LOAD, in one write; RESP2 is what a server speaks
/// where nobody asks for more. A replica is refused: it would answer from the past and write
/// nothing.
class Handshake {
 public:
  /// Appends its commands to `out`. `options` outlives it.
  Handshake(const Options& options, std::string& out);

  enum class Progress : std::uint8_t { more, done, failed };
  /// The replies one by one.
  Progress on_reply(const wire::resp::Reply& reply);

  /// Why it failed, for people.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 private:
  enum class Step : std::uint8_t { auth, select, set_name, role, load_script };

  bool accepts(Step step, const wire::resp::Reply& reply);

  std::vector<Step> steps_;
  std::size_t at_ = 0;
  std::string why_;
};

/// Appends AUTH, where there is something to say. Returns how many commands that is.
std::size_t append_auth(const Login& login, std::string& out);

/// Appends a SCRIPT LOAD for each of the scripts.
void append_script_loads(const Options& options, std::string& out);

}  // namespace weir::redis
