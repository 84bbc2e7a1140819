// SPDX-License-Identifier: Apache-2.0
// Replies become outcomes.
#include <array>

#include "redis/codec.hpp"
#include "redis/found.hpp"

namespace weir::redis {
namespace {

using wire::resp::Node;
using wire::resp::Reply;

Placed placed(const Op& op) noexcept {
  return FieldName(op).empty() ? Placed::alone : Placed::packed;
}

/// A state, or nothing where there was none. False where the node is neither.
bool read_state(const Node& node, Time now, const Op& op, Found& found) noexcept {
  found = {};
  if (node.is(Node::Type::null)) return true;
  return node.is(Node::Type::bulk) && read_found(*op.limit, placed(op), now, node.text, found);
}

void decide(Time now, const Op& op, Verb verb, const Found& found, Outcome& outcome) noexcept {
  outcome = {.decision = answer(*op.limit, verb, op.cost, now, found)};
}

bool read_one(const Node& node, Time now, const Op& op, Outcome& outcome) noexcept {
  Found found;
  if (!read_state(node, now, op, found)) return false;
  decide(now, op, op.verb, found, outcome);
  return true;
}

/// [units left after it, or null where there were too few; units left]
bool read_window(const Reply& reply, Time now, const Op& op, Outcome& outcome) noexcept {
  if (reply.nodes().size() != 3 || !reply[2].is(Node::Type::integer)) return false;
  const bool admitted = reply[1].is(Node::Type::integer);
  const auto most = static_cast<std::int64_t>(op.limit->limit.count());
  const std::int64_t left = reply[2].integer + (admitted ? static_cast<std::int64_t>(op.cost) : 0);
  if (left < 0 || left > most) return false;
  Found found;
  found.wide = {
      .lo = static_cast<std::uint64_t>(most - left),
      .hi = static_cast<std::uint64_t>(now.time_since_epoch() / op.limit->limit.period())};
  decide(now, op, op.verb, found, outcome);
  return outcome.decision.allowed == admitted;
}

/// The ops of a request, each with the state that it was decided by.
struct Request {
  Time now;
  std::span<const Op> ops;
  std::span<Outcome> outcomes;
  std::array<Found, most_ops_of_request> found;

  [[nodiscard]] std::size_t part_end(std::size_t first) const noexcept {
    std::size_t last = first + 1;
    while (last < ops.size() && ops[last].part == ops[first].part) ++last;
    return last;
  }

  bool decide_as(std::size_t first, std::size_t last, bool charged) noexcept {
    bool admits = true;
    for (std::size_t at = first; at < last; ++at) {
      decide(now, ops[at], charged ? ops[at].verb : Verb::peek, found[at], outcomes[at]);
      admits &= outcomes[at].decision.allowed;
    }
    return admits;
  }

  /// As the script did it: a part admits where each of its limits does, and is charged where part
  /// 0 admits too.
  void decide_acquire() noexcept {
    bool enforced_admit = true;
    for (std::size_t first = 0; first < ops.size();) {
      const std::size_t last = part_end(first);
      const bool admits = decide_as(first, last, false);
      if (ops[first].part == 0) enforced_admit = admits;
      if (admits && enforced_admit) decide_as(first, last, true);
      first = last;
    }
  }
};

bool read_all(const Reply& reply, Time now, std::span<const Op> ops,
              std::span<Outcome> outcomes) noexcept {
  if (!reply.root().is(Node::Type::array) || reply.nodes().size() != ops.size() + 1) return false;
  Request request{now, ops, outcomes, {}};
  for (std::size_t at = 0; at < ops.size(); ++at) {
    if (!read_state(reply[at + 1], now, ops[at], request.found[at])) return false;
  }
  if (ops[0].verb == Verb::acquire) {
    request.decide_acquire();
  } else {
    request.decide_as(0, ops.size(), true);
  }
  return true;
}

}  // namespace

bool read_reply(Form form, std::size_t command, const Reply& reply, Time now,
                std::span<const Op> ops, std::span<Outcome> outcomes) noexcept {
  if (reply.is_error()) return false;
  switch (form) {
    case Form::window: return command == 0 || read_window(reply, now, ops[0], outcomes[0]);
    case Form::decide: return read_all(reply, now, ops, outcomes);
    default: return read_one(reply.root(), now, ops[0], outcomes[0]);
  }
}

}  // namespace weir::redis
