// SPDX-License-Identifier: Apache-2.0
// RESP replies from anybody: nothing breaks, every bound holds, and the bytes mean the same however
// they are cut. The first byte of an input says where to cut the rest.
#include "wire/resp_reply.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz.hpp"

using weir::fuzz::require;
using namespace weir::wire::resp;

namespace {

/// What a connection sees: the replies' values, and how it ends.
struct Seen {
  std::vector<std::string> values;
  std::string error;
  bool operator==(const Seen&) const = default;
};

bool within(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void note(const Reply& reply, std::string_view bytes, Seen& seen) {
  require(!reply.nodes().empty() && reply.nodes().size() <= most_reply_nodes);
  require(reply.root().end == reply.nodes().size());
  for (std::size_t i = 0; i < reply.nodes().size(); ++i) {
    const Node& node = reply[i];
    require(within(node.text, bytes));
    require(node.end > i && node.end <= reply.nodes().size());
    seen.values.push_back(std::to_string(static_cast<int>(node.type)) + ' ' +
                          std::to_string(node.size) + ' ' + std::to_string(node.integer) + ' ' +
                          std::string(node.text));
  }
}

Seen feed(std::string_view bytes, std::size_t piece) {
  Seen seen;
  Reply reply;
  std::string input;
  std::size_t least = 0;
  while (!bytes.empty() && seen.error.empty()) {
    input.append(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (input.size() >= least) {
      const auto parsed = parse_reply(input, reply);
      if (parsed.status == ParsedReply::Status::need_more) {
        require(parsed.bytes > input.size() && parsed.bytes <= most_reply_bytes);
        least = parsed.bytes;
        break;
      }
      if (parsed.status == ParsedReply::Status::error) {
        require(!parsed.text.empty());
        seen.error = parsed.text;
        break;
      }
      note(reply, std::string_view(input).substr(0, parsed.bytes), seen);
      input.erase(0, parsed.bytes);
      least = 0;
    }
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = weir::fuzz::text_of(data + 1, size - 1);
  const Seen whole = feed(bytes, std::max<std::size_t>(bytes.size(), 1));
  require(whole == feed(bytes, std::size_t{data[0]} + 1));
  if (bytes.size() <= 256) require(whole == feed(bytes, 1));
  return 0;
}
