// SPDX-License-Identifier: Apache-2.0
#include "redis/inquiry.hpp"

#include "redis/handshake.hpp"

namespace weir::redis {

Inquiry::Inquiry(const Login& login, const std::vector<Command>& commands)
    : logins_(append_auth(login, output_)) {
  for (const auto& command : commands) {
    const std::vector<std::string_view> words(command.begin(), command.end());
    wire::resp::append_command(output_, words);
  }
}

Inquiry::Progress Inquiry::next() {
  using Status = wire::resp::ParsedReply::Status;
  while (true) {
    const auto parsed = parse_reply(input_.bytes(), reply_);
    if (parsed.status == Status::need_more) return Progress::need_more;
    if (parsed.status == Status::error) return Progress::failed;
    input_.taken(parsed.bytes);  // the bytes stay where they are
    if (logins_ == 0) return Progress::reply;
    --logins_;
    if (reply_.is_error()) return Progress::failed;
  }
}

}  // namespace weir::redis
