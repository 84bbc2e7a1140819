// SPDX-License-Identifier: Apache-2.0
// Replies become outcomes.
#include "redis/codec.hpp"

namespace weir::redis {
namespace {

using wire::resp::Node;
using wire::resp::Reply;

Placed placed(const Op& op) noexcept {
  return FieldName(op).empty() ? Placed::alone : Placed::packed;
}

/// A state, or nothing where there was none. False where the node is neither.
bool read_state(const Node& node, const Asked& asked, std::size_t index) noexcept {
  const Op& op = asked.ops[index];
  Found& found = asked.found[index] = {};
  if (node.is(Node::Type::null)) return true;
  return node.is(Node::Type::bulk) &&
         read_found(*op.limit, placed(op), asked.now, node.text, found);
}

/// [units left after it, or null where there were too few; units left, where the cost is not 1]
bool read_window(const Reply& reply, const Asked& asked) noexcept {
  const Op& op = asked.ops[0];
  const std::size_t size = op.cost > 1 ? 3 : 2;
  if (!reply.root().is(Node::Type::array) || reply.nodes().size() != size) return false;
  const bool admitted = reply[1].is(Node::Type::integer);
  const auto most = static_cast<std::int64_t>(op.limit->limit.count());
  const std::int64_t left =
      reply[size - 1].integer + (admitted ? static_cast<std::int64_t>(op.cost) : 0);
  if (left < 0 || left > most) return false;
  const auto window = asked.now.time_since_epoch() / op.limit->limit.period();
  asked.found[0] = {};
  asked.found[0].wide = {.lo = static_cast<std::uint64_t>(most - left),
                         .hi = static_cast<std::uint64_t>(window)};
  decide_by_found(asked);
  return asked.outcomes[0].decision.allowed == admitted;
}

bool read_all(const Reply& reply, const Asked& asked) noexcept {
  if (!reply.root().is(Node::Type::array)) return false;
  if (reply.nodes().size() != asked.ops.size() + 1) return false;
  for (std::size_t at = 0; at < asked.ops.size(); ++at) {
    if (!read_state(reply[at + 1], asked, at)) return false;
  }
  decide_by_found(asked);
  return true;
}

std::size_t part_end(std::span<const Op> ops, std::size_t first) noexcept {
  std::size_t last = first + 1;
  while (last < ops.size() && ops[last].part == ops[first].part) ++last;
  return last;
}

enum class Step : std::uint8_t { look, charge };

/// Whether all of them admit.
bool take_steps(const Asked& asked, std::size_t first, std::size_t last, Step what) noexcept {
  bool admit = true;
  for (std::size_t at = first; at < last; ++at) {
    const Op& op = asked.ops[at];
    const Verb verb = what == Step::charge ? op.verb : Verb::peek;
    asked.outcomes[at] = {.decision = answer(*op.limit, verb, op.cost, asked.now, asked.found[at])};
    admit &= asked.outcomes[at].decision.allowed;
  }
  return admit;
}

}  // namespace

void decide_by_found(const Asked& asked) noexcept {
  const auto& ops = asked.ops;
  if (ops.size() == 1 || ops[0].verb != Verb::acquire) {
    take_steps(asked, 0, ops.size(), Step::charge);
    return;
  }
  bool enforced_admit = true;
  for (std::size_t first = 0; first < ops.size();) {
    const std::size_t last = part_end(ops, first);
    const bool admits = take_steps(asked, first, last, Step::look);
    if (ops[first].part == 0) enforced_admit = admits;
    if (admits && enforced_admit) take_steps(asked, first, last, Step::charge);
    first = last;
  }
}

bool read_reply(const Asked& asked, std::size_t command, const Reply& reply) noexcept {
  if (reply.is_error()) return false;
  switch (asked.form) {
    case Form::window: return command == 0 || read_window(reply, asked);
    case Form::pack:
    case Form::decide: return read_all(reply, asked);
    default: break;
  }
  if (!read_state(reply.root(), asked, 0)) return false;
  decide_by_found(asked);
  return true;
}

}  // namespace weir::redis
