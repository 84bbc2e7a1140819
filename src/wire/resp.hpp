// SPDX-License-Identifier: Apache-2.0
// RESP, the protocol of Redis: requests are parsed and replies are written, without I/O.
//
//     *2\r\n $4\r\nPING\r\n $5\r\nhello\r\n     as programs send it: an array of bulk strings
//     PING hello\r\n                            as a person types it: an inline command
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir::wire::resp {

/// What a request may be at most. Beyond it is an error that ends the connection, for what follows
/// cannot be found.
inline constexpr std::size_t most_arguments = 256;
inline constexpr std::size_t most_bulk_bytes = std::size_t{64} << 10;
inline constexpr std::size_t most_inline_bytes = std::size_t{64} << 10;
/// A whole request, its framing included.
inline constexpr std::size_t most_request_bytes = std::size_t{256} << 10;

/// The arguments of one request, the command's name first. Reused, so that parsing allocates
/// nothing. They are views of the input, or, where an inline command has quotes, of this object.
class Arguments {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
    return views_[index];
  }
  [[nodiscard]] std::span<const std::string_view> all() const noexcept {
    return {views_.data(), size_};
  }

 private:
  friend class RequestParser;  // fills it
  std::size_t size_ = 0;
  std::array<std::string_view, most_arguments> views_;
  std::string unquoted_;
};

struct Parsed {
  enum class Status : std::uint8_t {
    request,    ///< `bytes` of the input are one request
    need_more,  ///< the input is the beginning of one; with fewer than `bytes` in all it stays that
    error,      ///< the input is no request: `text` says why, as Redis says it
  } status = Status::need_more;
  std::size_t bytes = 0;
  std::string_view text = {};
};

/// Parses the one request that `input` begins with. A request without arguments (an empty line, an
/// empty array) leaves `arguments` empty. Whether the bytes come at once or one by one makes no
/// difference.
[[nodiscard]] Parsed parse_request(std::string_view input, Arguments& arguments);

/// Writes replies. What RESP3 says in its own types is said to a RESP2 client in arrays and bulk
/// strings.
class Writer {
 public:
  Writer(std::string& out, bool resp3) noexcept : out_(out), resp3_(resp3) {}

  void simple(std::string_view text);  ///< without line ends
  void error(std::string_view text);   ///< its first word is its code; line ends become spaces
  void integer(std::int64_t value);
  void bulk(std::string_view bytes);
  void null();
  void array(std::size_t size);  ///< its elements follow
  void map(std::size_t pairs);   ///< keys and values follow in turn
  /// An array of integers, whole.
  void integers(std::span<const std::int64_t> values);
  static constexpr std::size_t most_integers = 9;

 private:
  void header(char type, std::uint64_t count);

  std::string& out_;
  bool resp3_;
};

}  // namespace weir::wire::resp
