// SPDX-License-Identifier: Apache-2.0
#include "redis/handshake.hpp"

#include <array>

namespace weir::redis {

using wire::resp::append_command;
using wire::resp::Reply;

std::size_t append_auth(const Login& login, std::string& out) {
  if (login.password.empty()) return 0;
  std::array<std::string_view, 3> words{"AUTH", login.user, login.password};
  if (login.user.empty()) words = {"AUTH", login.password};
  append_command(out, std::span(words).first(login.user.empty() ? 2 : 3));
  return 1;
}

void append_script_loads(const Options& options, std::string& out) {
  for (const auto source : options.scripts) {
    append_command(out, std::array<std::string_view, 3>{"SCRIPT", "LOAD", source});
  }
}

Handshake::Handshake(const Options& options, std::string& out) {
  if (append_auth(options.login, out) > 0) steps_.push_back(Step::auth);
  if (options.database != 0) {
    steps_.push_back(Step::select);
    const auto number = std::to_string(options.database);
    append_command(out, std::array<std::string_view, 2>{"SELECT", number});
  }
  steps_.push_back(Step::set_name);
  append_command(out, std::array<std::string_view, 3>{"CLIENT", "SETNAME", "weir"});
  steps_.push_back(Step::role);
  append_command(out, std::array<std::string_view, 1>{"ROLE"});
  steps_.insert(steps_.end(), options.scripts.size(), Step::load_script);
  append_script_loads(options, out);
}

Handshake::Progress Handshake::on_reply(const Reply& reply) {
  if (!accepts(steps_[at_], reply)) return Progress::failed;
  return ++at_ == steps_.size() ? Progress::done : Progress::more;
}

bool Handshake::accepts(Step step, const Reply& reply) {
  static constexpr std::array<std::string_view, 5> names{"AUTH", "SELECT", "CLIENT SETNAME", "ROLE",
                                                         "SCRIPT LOAD"};
  if (reply.is_error()) {
    const auto code = reply.error_code();
    // A user who may not name connections, or not ask for the role, may still decide.
    const bool is_extra = step == Step::set_name || step == Step::role;
    if (is_extra && (code == "NOPERM" || reply.root().text.starts_with("ERR unknown"))) return true;
    why_.append(names[static_cast<std::size_t>(step)]).append(" is refused: ");
    why_ += reply.root().text;
    return false;
  }
  if (step != Step::role) return true;
  const bool is_master = reply.nodes().size() > 1 && reply[1].text == "master";
  if (!is_master) why_ = "is a replica, and only the master may decide";
  return is_master;
}

}  // namespace weir::redis
