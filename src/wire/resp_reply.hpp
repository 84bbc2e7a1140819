// SPDX-License-Identifier: Apache-2.0
// RESP as a client of Redis sees it: commands are written and replies are parsed, without I/O.
//
//     *2\r\n  $3\r\nGET\r\n  $1\r\nk\r\n            a command
//     *3\r\n  :7\r\n  $-1\r\n  *1\r\n :8\r\n        a reply: [7, null, [8]]
//
//     node    0: array   1: 7   2: null   3: array   4: 8
//     end     5          2      3         5          5
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::wire::resp {

/// What a reply may be at most. Beyond it is an error that ends the connection, for what follows
/// cannot be found.
inline constexpr std::size_t most_reply_bytes = std::size_t{1} << 20;  ///< its framing included
inline constexpr std::size_t most_reply_nodes = std::size_t{1} << 16;
inline constexpr std::size_t most_reply_depth = 8;  ///< arrays within each other

/// One value of a reply.
struct Node {
  enum class Type : std::uint8_t { simple, error, integer, bulk, null, array };
  Type type = Type::null;
  std::uint32_t size = 0;      ///< of an array: how many elements it has
  std::uint32_t end = 1;       ///< where the node behind it, and behind all that is in it, stands
  std::int64_t integer = 0;    ///< of an integer
  std::string_view text = {};  ///< of a simple string, an error or a bulk string

  [[nodiscard]] bool is(Type other) const noexcept { return type == other; }
  [[nodiscard]] bool is_text() const noexcept { return is(Type::simple) || is(Type::bulk); }
};

/// The values of one reply in the order of the bytes: an array is followed by its elements. Reused,
/// so that parsing allocates nothing in the long run. The texts are views of the input.
class Reply {
 public:
  /// The reply itself. Only of a reply that was parsed as a whole.
  [[nodiscard]] const Node& root() const noexcept { return nodes_[0]; }

  [[nodiscard]] std::span<const Node> nodes() const noexcept { return nodes_; }
  [[nodiscard]] const Node& operator[](std::size_t index) const noexcept { return nodes_[index]; }

  [[nodiscard]] bool is_error() const noexcept { return root().is(Node::Type::error); }

  /// An error's first word: `MOVED`, `NOSCRIPT`. Empty where it is no error.
  [[nodiscard]] std::string_view error_code() const noexcept;

 private:
  friend class ReplyParser;  // fills it
  std::vector<Node> nodes_;
};

struct ParsedReply {
  enum class Status : std::uint8_t {
    reply,      ///< `bytes` of the input are one reply
    need_more,  ///< the input is the beginning of one; with fewer than `bytes` in all it stays that
    error,      ///< the input is no reply in RESP2: `text` says why
  } status = Status::need_more;
  std::size_t bytes = 0;
  std::string_view text = {};
};

/// Parses the one reply that `input` begins with. Whether the bytes come at once or one by one
/// makes no difference.
[[nodiscard]] ParsedReply parse_reply(std::string_view input, Reply& reply);

/// Writes one command, its name first.
void append_command(std::string& out, std::span<const std::string_view> arguments);

}  // namespace weir::wire::resp
