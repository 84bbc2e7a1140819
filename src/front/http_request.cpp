// SPDX-License-Identifier: Apache-2.0
#include "front/http_request.hpp"

#include <optional>
#include <utility>

#include "front/request_parser.hpp"
#include "rules/path.hpp"

namespace weir::front {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

/// `view`, which lies in `from`, at the same place in `to`.
std::string_view moved(std::string_view view, const char* from, const char* to) noexcept {
  return view.empty() ? std::string_view{}
                      : std::string_view{to + (view.data() - from), view.size()};
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
  RequestParser::Message message;
  std::optional<RequestParser> parser;
  std::string kept_head;     // of a request whose body has not come as a whole
  std::size_t searched = 0;  // no blank line is in so much of a head that is not whole yet
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
