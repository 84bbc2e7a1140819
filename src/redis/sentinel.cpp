// SPDX-License-Identifier: Apache-2.0
#include "redis/sentinel.hpp"

#include <charconv>

namespace weir::redis {

namespace {

std::optional<Address> address_of(std::string_view host, std::string_view port) {
  Address address{.host = std::string(host)};
  const char* end = port.data() + port.size();
  const auto [stopped, failure] = std::from_chars(port.data(), end, address.port);
  if (failure != std::errc{} || stopped != end || address.port == 0 || host.empty()) return {};
  return address;
}

}  // namespace

std::optional<Address> read_master(const wire::resp::Reply& reply) {
  if (reply.root().size != 2 || reply.nodes().size() != 3) return {};
  return address_of(reply[1].text, reply[2].text);
}

std::optional<Address> read_switch(const wire::resp::Reply& reply, std::string_view master_name) {
  if (reply.root().size != 3 || reply.nodes().size() != 4) return {};
  if (reply[1].text != "message" || reply[2].text != "+switch-master") return {};
  // A master's name may hold spaces, so the words are counted from the end.
  std::string_view rest = reply[3].text;
  std::string_view words[4];  // old host, old port, new host, new port
  for (std::size_t i = 4; i-- > 0;) {
    const auto space = rest.rfind(' ');
    if (space == rest.npos) return {};
    words[i] = rest.substr(space + 1);
    rest = rest.substr(0, space);
  }
  if (rest != master_name) return {};
  return address_of(words[2], words[3]);
}

}  // namespace weir::redis
