// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 requests out of a stream of bytes, over Boost.Beast's parser.
//
// A request that lies in the input as a whole is given out as views into it, uncopied. Only where a
// body comes in pieces, or in chunks, what has come is kept here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "rules/request.hpp"

namespace weir::front {

struct HttpRequest {
  std::string_view method;
  std::string_view target;  ///< as sent
  std::span<const rules::Header> headers;
  std::string_view body;
  bool http_1_0 = false;
  bool keep_alive = false;

  /// The target without scheme, host and query.
  [[nodiscard]] std::string_view path() const noexcept;
};

/// Why the input is no request that can be answered as one. The connection ends with it.
struct HttpFault {
  int status = 400;
  std::string detail;
};

/// How much memory the bodies that are half read may take, all connections of a loop together.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t most_bytes) noexcept : left_(most_bytes) {}

  [[nodiscard]] bool take(std::size_t bytes) noexcept {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  void give_back(std::size_t bytes) noexcept { left_ += bytes; }
  [[nodiscard]] std::size_t left() const noexcept { return left_; }

 private:
  std::size_t left_;
};

class RequestReader {
 public:
  static constexpr std::size_t most_head_bytes = std::size_t{32} << 10;
  static constexpr std::size_t most_headers = 128;
  static constexpr std::size_t most_body_bytes = std::size_t{1} << 20;

  enum class Step : std::uint8_t {
    need_more,
    request,  ///< `request()` holds until the next call or until the input moves
    fault,    ///< `fault()` tells why; no call may follow
  };

  /// `budget` must outlive the reader.
  explicit RequestReader(BodyBudget& budget);
  ~RequestReader();

  /// Reads on. `input` begins where the last call stopped eating; `eaten` becomes what this one is
  /// done with. What is left uneaten is less than `most_head_bytes`, or it is a fault.
  Step read(std::string_view input, std::size_t& eaten);

  [[nodiscard]] const HttpRequest& request() const noexcept;
  [[nodiscard]] const HttpFault& fault() const noexcept;

  /// Whether the peer waits for a `100 Continue` before it sends the body. True once a request.
  [[nodiscard]] bool take_continue() noexcept;

  /// Nothing that was eaten waits for more.
  [[nodiscard]] bool idle() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir::front
