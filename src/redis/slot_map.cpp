// SPDX-License-Identifier: Apache-2.0
#include "redis/slot_map.hpp"

#include "redis/slot.hpp"

namespace weir::redis {

namespace {

using wire::resp::Node;
using wire::resp::Reply;

bool is_number(const Node& node, std::int64_t most) {
  return node.is(Node::Type::integer) && node.integer >= 0 && node.integer <= most;
}

/// `[first, last, [host, port, ...], replicas...]`, which begins at node `at`.
std::optional<SlotRange> read_range(const Reply& reply, std::size_t at, const Address& asked) {
  if (reply[at].size < 3) return {};
  const Node& first = reply[at + 1];
  const Node& last = reply[at + 2];
  const Node& master = reply[at + 3];
  if (!is_number(first, slots - 1) || !is_number(last, slots - 1)) return {};
  if (first.integer > last.integer || master.size < 2) return {};
  const Node& host = reply[at + 4];
  const Node& port = reply[at + 5];
  if (!is_number(port, 65535) || port.integer == 0) return {};
  if (!host.is_text() && !host.is(Node::Type::null)) return {};
  const bool is_asked = host.text.empty() || host.text == "?";
  return SlotRange{
      static_cast<std::uint16_t>(first.integer),
      static_cast<std::uint16_t>(last.integer),
      {is_asked ? asked.host : std::string(host.text), static_cast<std::uint16_t>(port.integer)}};
}

}  // namespace

std::optional<std::vector<SlotRange>> read_slot_ranges(const Reply& reply, const Address& asked) {
  if (!reply.root().is(Node::Type::array)) return {};
  std::vector<SlotRange> ranges;
  for (std::size_t at = 1; at < reply.nodes().size(); at = reply[at].end) {
    auto range = read_range(reply, at, asked);
    if (!range) return {};
    ranges.push_back(std::move(*range));
  }
  return ranges;
}

}  // namespace weir::redis
