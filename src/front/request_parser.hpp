// SPDX-License-Identifier: Apache-2.0
// Boost.Beast's parser as RequestReader feeds it. Only that includes this: Beast is long to
// compile.
#pragma once

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "front/http_request.hpp"
#include "rules/text.hpp"

namespace weir::front {

/// One request. Head and body are given out as views where they lie. What could make a proxy in
/// front see other requests than are seen here is refused, also where Beast puts up with it.
class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  using error_code = boost::beast::error_code;
  using View = boost::beast::string_view;
  using field = boost::beast::http::field;
  using error = boost::beast::http::error;

  struct Message {
    std::string_view input;  // that the head is parsed from
    std::string_view method, target;
    std::vector<rules::Header> headers;
    std::string_view body_in_place;
    std::string body;  // what of it came in pieces
    std::optional<HttpFault> fault;
    bool http_1_0 = false;
    bool expects_continue = false;
  };

  RequestParser(Message& message, BodyBudget& budget) : message_(message), budget_(budget) {
    header_limit(RequestReader::most_head_bytes);
    body_limit(RequestReader::most_body_bytes);
  }

 private:
  static std::string_view to_std(View text) noexcept { return {text.data(), text.size()}; }

  static bool lies_in(View part, std::string_view whole) noexcept {
    const std::less<const char*> before;
    return !before(part.data(), whole.data()) &&
           !before(whole.data() + whole.size(), part.data() + part.size());
  }

  void refuse(int status, std::string detail, error_code& result) {
    message_.fault = {status, std::move(detail)};
    result = error::bad_value;
  }

  void on_request_impl(boost::beast::http::verb, View method, View target, int version,
                       error_code&) override {
    message_.method = to_std(method);
    message_.target = to_std(target);
    message_.http_1_0 = version < 11;
  }

  void on_field_impl(field which, View name, View value, error_code& result) override {
    if (is_header_done()) return;  // a trailer
    if (is_folded(name, value)) return refuse(400, "A header field is folded.", result);
    if (message_.headers.size() == RequestReader::most_headers) {
      return refuse(431, "There are more than 128 header fields.", result);
    }
    message_.headers.push_back({to_std(name), to_std(value)});
    switch (which) {
      case field::host:
        if (++hosts_ > 1) refuse(400, "There are two Host fields.", result);
        break;
      case field::content_length:
        if (++lengths_ > 1 || value.contains(',')) {
          refuse(400, "There are two content lengths.", result);
        }
        break;
      case field::transfer_encoding:
        if (message_.http_1_0 || !rules::equals_ignoring_case(to_std(value), "chunked")) {
          refuse(400, "The only transfer encoding is 'chunked', of HTTP/1.1.", result);
        }
        break;
      case field::expect: expect(to_std(value), result); break;
      default: break;
    }
  }

  void expect(std::string_view value, error_code& result) {
    if (!rules::equals_ignoring_case(value, "100-continue")) {
      return refuse(417, "The only expectation is '100-continue'.", result);
    }
    message_.expects_continue = !message_.http_1_0;
  }

  /// Beast joins folded lines in a buffer of its own, or skips line ends before the value.
  bool is_folded(View name, View value) const noexcept {
    if (value.empty() && value.data() == nullptr) return false;
    if (!lies_in(value, message_.input)) return true;
    const char* const name_end = name.data() + name.size();
    return std::find(name_end, value.data(), '\n') != value.data();
  }

  void on_header_impl(error_code& result) override {
    if (hosts_ == 0 && !message_.http_1_0) refuse(400, "There is no Host field.", result);
  }

  std::size_t on_body_impl(View piece, error_code& result) override {
    if (message_.body.empty() && piece.size() == content_length()) {
      message_.body_in_place = to_std(piece);
      return piece.size();
    }
    return keep(piece, result);
  }

  std::size_t on_chunk_body_impl(std::uint64_t, View piece, error_code& result) override {
    return keep(piece, result);
  }

  std::size_t keep(View piece, error_code& result) {
    if (budget_.take(piece.size())) {
      message_.body += to_std(piece);
    } else {
      refuse(503, "Too many large requests are under way.", result);
    }
    return piece.size();
  }

  void on_response_impl(int, View, int, error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_chunk_header_impl(std::uint64_t, View, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  Message& message_;
  BodyBudget& budget_;
  int hosts_ = 0;
  int lengths_ = 0;
};

}  // namespace weir::front
