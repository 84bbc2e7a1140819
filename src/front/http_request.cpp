// SPDX-License-Identifier: Apache-2.0
#include "front/http_request.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "rules/path.hpp"
#include "rules/text.hpp"

namespace weir::front {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using View = boost::beast::string_view;
using rules::equals_ignoring_case;

std::string_view to_std(View text) noexcept { return {text.data(), text.size()}; }

bool lies_in(View part, std::string_view whole) noexcept {
  const std::less<const char*> before;
  return !before(part.data(), whole.data()) &&
         !before(whole.data() + whole.size(), part.data() + part.size());
}

/// `view`, which lies in `from`, at the same place in `to`.
std::string_view moved(std::string_view view, const char* from, const char* to) noexcept {
  return view.empty() ? std::string_view{} : std::string_view{to + (view.data() - from), view.size()};
}

/// Empty lines before a request are let pass: some clients end a body with one.
std::size_t leading_line_ends(std::string_view input) noexcept {
  std::size_t count = 0;
  while (input.substr(count).starts_with("\r\n")) count += 2;
  return count;
}

HttpFault fault_of(error_code error) {
  if (error == http::error::body_limit) return {413, "The body is larger than 1 MiB."};
  if (error == http::error::header_limit) return {431, "The header is larger than 32 KiB."};
  if (error == http::error::bad_version) return {505, "HTTP/1.1 and HTTP/1.0 are spoken here."};
  return {400, "The request is not HTTP/1.1: " + error.message() + "."};
}

/// One request. Head and body are given out as views where they lie. What could make a proxy in front
/// see other requests than are seen here is refused, also where Beast puts up with it.
class Parser final : public http::basic_parser<true> {
 public:
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

  Parser(Message& message, BodyBudget& budget) : message_(message), budget_(budget) {
    header_limit(RequestReader::most_head_bytes);
    body_limit(RequestReader::most_body_bytes);
  }

 private:
  void refuse(int status, std::string detail, error_code& error) {
    message_.fault = {status, std::move(detail)};
    error = http::error::bad_value;
  }

  void on_request_impl(http::verb, View method, View target, int version, error_code&) override {
    message_.method = to_std(method);
    message_.target = to_std(target);
    message_.http_1_0 = version < 11;
  }

  void on_field_impl(http::field field, View name, View value, error_code& error) override {
    if (is_header_done()) return;  // a trailer
    if (is_folded(name, value)) return refuse(400, "A header field is folded.", error);
    if (message_.headers.size() == RequestReader::most_headers) {
      return refuse(431, "There are more than 128 header fields.", error);
    }
    message_.headers.push_back({to_std(name), to_std(value)});
    switch (field) {
      case http::field::host:
        if (++hosts_ > 1) refuse(400, "There are two Host fields.", error);
        break;
      case http::field::content_length:
        if (++lengths_ > 1 || value.contains(',')) {
          refuse(400, "There are two content lengths.", error);
        }
        break;
      case http::field::transfer_encoding:
        if (message_.http_1_0 || !equals_ignoring_case(to_std(value), "chunked")) {
          refuse(400, "The only transfer encoding is 'chunked', of HTTP/1.1.", error);
        }
        break;
      case http::field::expect: expect(to_std(value), error); break;
      default: break;
    }
  }

  void expect(std::string_view value, error_code& error) {
    if (!equals_ignoring_case(value, "100-continue")) {
      return refuse(417, "The only expectation is '100-continue'.", error);
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

  void on_header_impl(error_code& error) override {
    if (hosts_ == 0 && !message_.http_1_0) refuse(400, "There is no Host field.", error);
  }

  std::size_t on_body_impl(View piece, error_code& error) override {
    if (message_.body.empty() && piece.size() == content_length()) {
      message_.body_in_place = to_std(piece);
      return piece.size();
    }
    return keep(piece, error);
  }

  std::size_t on_chunk_body_impl(std::uint64_t, View piece, error_code& error) override {
    return keep(piece, error);
  }

  std::size_t keep(View piece, error_code& error) {
    if (budget_.take(piece.size())) {
      message_.body += to_std(piece);
    } else {
      refuse(503, "Too many large requests are under way.", error);
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

}  // namespace

struct RequestReader::State {
  explicit State(BodyBudget& budget_in) : budget(budget_in) {}
  ~State() { budget.give_back(message.body.size()); }

  Step read(std::string_view input, std::size_t& eaten);
  Step read_head(std::string_view input, std::size_t& eaten);
  Step read_body(std::string_view input, std::size_t& eaten);
  Step finish();
  Step fail(HttpFault because);
  Step fail(error_code error);
  void release();
  void keep_head(std::string_view head);

  BodyBudget& budget;
  Parser::Message message;
  std::optional<Parser> parser;
  std::string kept_head;      // of a request whose body has not come as a whole
  std::size_t searched = 0;   // no blank line is in so much of a head that is not whole yet
  bool in_body = false;
  bool continue_due = false;
  HttpRequest request;
  HttpFault fault;
};

/// Ends the last request. An idle connection holds no large body.
void RequestReader::State::release() {
  constexpr std::size_t most_kept = std::size_t{4} << 10;
  budget.give_back(message.body.size());
  message.body.clear();
  if (message.body.capacity() > most_kept) message.body.shrink_to_fit();
  message.body_in_place = {};
  message.headers.clear();
  message.expects_continue = false;
}

RequestReader::Step RequestReader::State::fail(HttpFault because) {
  fault = std::move(because);
  return Step::fault;
}

RequestReader::Step RequestReader::State::fail(error_code error) {
  return fail(message.fault ? std::move(*message.fault) : fault_of(error));
}

RequestReader::Step RequestReader::State::read_head(std::string_view input, std::size_t& eaten) {
  if (searched > 0) {
    const auto from = searched < 3 ? 0 : searched - 3;
    searched = input.size();
    if (input.find("\r\n\r\n", from) == input.npos && input.size() < most_head_bytes) {
      return Step::need_more;
    }
  }
  message.input = input;
  message.headers.clear();
  parser.emplace(message, budget);
  error_code error;
  const auto head = parser->put({input.data(), input.size()}, error);
  if (error == http::error::need_more && input.size() < most_head_bytes) {
    searched = input.size();
    return Step::need_more;
  }
  if (error == http::error::need_more || (!error && head > most_head_bytes)) {
    error = http::error::header_limit;
  }
  if (error) return fail(error);
  searched = 0;
  eaten = head;
  if (parser->is_done()) return finish();
  std::size_t body = 0;
  const auto step = read_body(input.substr(head), body);
  eaten += body;
  if (step == Step::need_more) {
    in_body = true;
    continue_due = message.expects_continue;
    keep_head(input.substr(0, head));
  }
  return step;
}

RequestReader::Step RequestReader::State::read_body(std::string_view input, std::size_t& eaten) {
  while (eaten < input.size()) {
    const auto rest = input.substr(eaten);
    error_code error;
    eaten += parser->put({rest.data(), rest.size()}, error);
    if (error == http::error::need_more) {
      // Only a chunk's header or the trailer is left uneaten.
      if (input.size() - eaten < most_head_bytes) return Step::need_more;
      return fail({431, "A chunk's header or the trailer is larger than 32 KiB."});
    }
    if (error) return fail(error);
    if (parser->is_done()) return finish();
  }
  return Step::need_more;
}

/// Takes the head out of an input that is about to go.
void RequestReader::State::keep_head(std::string_view head) {
  kept_head.assign(head);
  const char* const from = head.data();
  const char* const to = kept_head.data();
  message.method = moved(message.method, from, to);
  message.target = moved(message.target, from, to);
  for (auto& [name, value] : message.headers) {
    name = moved(name, from, to);
    value = moved(value, from, to);
  }
}

RequestReader::Step RequestReader::State::finish() {
  in_body = continue_due = false;
  request = {.method = message.method,
             .target = message.target,
             .headers = message.headers,
             .body = message.body.empty() ? message.body_in_place : message.body,
             .http_1_0 = message.http_1_0,
             .keep_alive = parser->keep_alive()};
  return Step::request;
}

RequestReader::Step RequestReader::State::read(std::string_view input, std::size_t& eaten) {
  eaten = 0;
  if (in_body) return read_body(input, eaten);
  release();
  const auto blank = leading_line_ends(input);
  if (blank == input.size() || input.substr(blank) == "\r") {
    eaten = blank;
    return Step::need_more;
  }
  const auto step = read_head(input.substr(blank), eaten);
  eaten += blank;
  return step;
}

RequestReader::RequestReader(BodyBudget& budget) : state_(std::make_unique<State>(budget)) {}

RequestReader::~RequestReader() = default;

RequestReader::Step RequestReader::read(std::string_view input, std::size_t& eaten) {
  return state_->read(input, eaten);
}

const HttpRequest& RequestReader::request() const noexcept { return state_->request; }

const HttpFault& RequestReader::fault() const noexcept { return state_->fault; }

bool RequestReader::take_continue() noexcept { return std::exchange(state_->continue_due, false); }

bool RequestReader::idle() const noexcept { return !state_->in_body; }

std::string_view HttpRequest::path() const noexcept {
  std::string_view path = target;
  if (!path.starts_with('/')) {
    const auto authority = rules::authority_of(target);
    if (authority.data() == nullptr) return path.substr(0, path.find('?'));
    path.remove_prefix(static_cast<std::size_t>(authority.data() + authority.size() - path.data()));
    if (path.empty() || path.front() == '?') return "/";
  }
  return path.substr(0, path.find('?'));
}

}  // namespace weir::front
