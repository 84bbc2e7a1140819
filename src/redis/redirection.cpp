// SPDX-License-Identifier: Apache-2.0
#include "redis/redirection.hpp"

#include <charconv>

#include "redis/slot.hpp"

namespace weir::redis {

namespace {

bool read_number(std::string_view text, std::uint16_t& number) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size();
}

std::string_view take_word(std::string_view& text) {
  const auto space = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, space);
  text.remove_prefix(std::min(space + 1, text.size()));
  return word;
}

}  // namespace

std::optional<Address> read_host_and_port(std::string_view text) {
  const auto colon = text.rfind(':');
  Address address;
  if (colon == text.npos || !read_number(text.substr(colon + 1), address.port)) return {};
  address.host = text.substr(0, colon);
  return address.port == 0 ? std::nullopt : std::optional(address);
}

std::optional<Redirection> read_redirection(std::string_view error) {
  const auto code = take_word(error);
  if (code == "TRYAGAIN") return Redirection{.kind = Redirection::Kind::try_again, .address = {}};
  if (code != "MOVED" && code != "ASK") return {};
  Redirection redirection;
  if (code == "ASK") redirection.kind = Redirection::Kind::ask;
  if (!read_number(take_word(error), redirection.slot) || redirection.slot >= slots) return {};
  const auto address = read_host_and_port(error);
  if (!address) return {};
  redirection.address = *address;
  return redirection;
}

}  // namespace weir::redis
