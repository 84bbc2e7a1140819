// SPDX-License-Identifier: Apache-2.0
#include "rules/client_address.hpp"

#include <algorithm>
#include <array>

#include "rules/text.hpp"

namespace weir::rules {

namespace {

/// The quote that opens the quoted string which ends before `end`; npos where none does. A quote
/// behind an odd number of backslashes is part of the string.
std::size_t opening_quote(std::string_view text, std::size_t end) noexcept {
  while (end > 0) {
    const auto quote = text.rfind('"', end - 1);
    if (quote == text.npos) return text.npos;
    std::size_t backslashes = 0;
    while (backslashes < quote && text[quote - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return quote;
    end = quote;
  }
  return text.npos;
}

/// The elements of a list from the last to the first. Quoted strings are looked for from the right,
/// where trusted proxies write: what a client put before them opens no quote here.
class FromTheRight {
 public:
  FromTheRight(std::string_view list, char separator) noexcept
      : rest_(list), separator_(separator) {}

  std::optional<std::string_view> next() noexcept {
    if (done_) return {};
    for (std::size_t at = rest_.size(); at > 0; --at) {
      if (rest_[at - 1] == separator_) {
        const auto last = rest_.substr(at);
        rest_ = rest_.substr(0, at - 1);
        return trimmed(last);
      }
      if (rest_[at - 1] != '"') continue;
      const auto open = opening_quote(rest_, at - 1);
      if (open == rest_.npos) break;
      at = open + 1;
    }
    done_ = true;
    return trimmed(rest_);
  }

 private:
  std::string_view rest_;
  char separator_;
  bool done_ = false;
};

/// The address in a value, which may be quoted.
std::optional<Address> parse_node(std::string_view value) noexcept {
  std::array<char, 64> plain;
  if (!value.starts_with('"')) return Address::parse(value);
  if (value.size() < 2 || value.size() > plain.size() || !value.ends_with('"')) return {};
  std::size_t size = 0;
  for (std::size_t at = 1; at + 1 < value.size(); ++at) {
    if (value[at] == '\\') ++at;
    if (at + 1 < value.size()) plain[size++] = value[at];
  }
  return Address::parse({plain.data(), size});
}

/// The address that an element of `Forwarded` names with its one `for`.
std::optional<Address> parse_forwarded(std::string_view element) noexcept {
  std::optional<std::string_view> node;
  FromTheRight pairs(element, ';');
  while (auto value = pairs.next()) {
    const auto name = cut_first(*value, '=');
    if (!equals_ignoring_case(name, "for")) continue;
    if (node) return {};
    node = value;
  }
  return node ? parse_node(*node) : std::nullopt;
}

}  // namespace

bool ClientTrust::trusts(const Address& address) const noexcept {
  return std::any_of(proxies.begin(), proxies.end(),
                     [&](const Network& network) { return network.contains(address); });
}

std::optional<Address> ClientTrust::client_of(const Request& request) const noexcept {
  if (request.client) return request.client->unmapped();
  std::optional<Address> hop;
  if (request.peer) hop = request.peer->unmapped();
  if (!(hop ? trusts(*hop) : unix_peers)) return hop;
  const bool forwarded = header == "forwarded";
  for (std::size_t line = request.headers.size(); line > 0; --line) {
    const auto& [name, value] = request.headers[line - 1];
    if (!equals_ignoring_case(name, header)) continue;
    FromTheRight elements(value, ',');
    while (const auto element = elements.next()) {
      const auto before = forwarded ? parse_forwarded(*element) : Address::parse(*element);
      if (!before) return hop;
      hop = before;
      if (!trusts(*hop)) return hop;
    }
  }
  return hop;
}

}  // namespace weir::rules
