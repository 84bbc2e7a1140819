// SPDX-License-Identifier: Apache-2.0
#include "front/http/session.hpp"

#include <random>

#include "front/http/check_answer.hpp"
#include "front/pages.hpp"

namespace weir::front {

namespace {

using limiter::Status;
using limiter::Verdict;

/// Texts of this size end a turn: what is asked for can be much larger than the asking.
constexpr std::size_t most_ready_bytes = std::size_t{256} << 10;

std::string_view true_status_field(int status) noexcept {
  switch (status) {
    case 429: return "X-RateLimit-Status: 429\r\n";
    case 503: return "X-RateLimit-Status: 503\r\n";
    default: return "X-RateLimit-Status: 403\r\n";
  }
}

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

HttpLoop::HttpLoop(const HttpEnvironment& environment_in, const Clock& clock_in)
    : environment(environment_in),
      clock(clock_in),
      latency(environment.latency.open()),
      turns(environment.engine),
      bodies(environment.limits.most_body_memory),
      random_state(random_seed()) {}

/// SplitMix64.
std::uint64_t HttpLoop::random() noexcept {
  random_state += 0x9e3779b97f4a7c15u;
  std::uint64_t mixed = random_state;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  return mixed ^ mixed >> 31;
}

Progress HttpSession::on_bytes(Time now, std::string_view input, std::string& output) {
  if (turn_ != nullptr || !held_.empty() || closing_) return progress(0);
  Turn& turn = loop_.turns.take(now);
  const auto eaten = take_requests(turn, input);
  if (turn.batch.size() > 0 && !loop_.turns.decide(turn, peer_.waker)) {
    turn_ = &turn;
  } else {
    answer_all(turn, output);
  }
  return progress(eaten);
}

Progress HttpSession::on_wake(Time now, std::string& output) {
  if (turn_ != nullptr) {
    if (!turn_->decided) return progress(0);
    answer_all(*std::exchange(turn_, nullptr), output);
  }
  while (!held_.empty() && held_.front().due <= now) {
    output += held_.front().bytes;
    held_.pop_front();
    --loop_.held;
  }
  if (held_.empty() && reader_.take_continue()) output += continue_line;
  return progress(0);
}

void HttpSession::on_close(Time now) noexcept {
  if (turn_ != nullptr) TurnPool::abandon(*turn_);
  turn_ = nullptr;
  loop_.held -= held_.size();
  try {
    for (const auto& held : held_) give_back(now, held.charge);
  } catch (const std::bad_alloc&) {
    // Without memory the places stay taken until their time has passed.
  }
  held_.clear();
}

bool HttpSession::idle() const noexcept {
  return turn_ == nullptr && held_.empty() && reader_.idle();
}

Progress HttpSession::progress(std::size_t eaten) const noexcept {
  using Next = Progress::Next;
  if (turn_ != nullptr) return {.eaten = eaten, .next = Next::wait};
  if (!held_.empty()) return {.eaten = eaten, .next = Next::wait, .wake_at = held_.front().due};
  if (closing_) return {.eaten = eaten, .next = Next::close};
  return {.eaten = eaten, .next = turn_full_ ? Next::again : Next::read};
}

std::size_t HttpSession::take_requests(Turn& turn, std::string_view input) {
  const auto& limits = loop_.environment.limits;
  std::size_t eaten = 0;
  std::size_t ready_bytes = 0;
  turn_full_ = false;
  while (!closing_ && !turn_full_) {
    std::size_t more = 0;
    const auto step = reader_.read(input.substr(eaten), more);
    eaten += more;
    if (step == RequestReader::Step::need_more) break;
    if (step == RequestReader::Step::fault) {
      closing_ = true;
      auto& answer = turn.add_answer({.keep_alive = false});
      add_problem(turn, answer, reader_.fault().status, reader_.fault().detail);
      break;
    }
    auto& answer = turn.add_answer(Exchange::of(reader_.request()));
    take_request(turn, answer);
    closing_ = !reader_.request().keep_alive;
    ready_bytes += answer.text.size();
    turn_full_ = turn.batch.size() >= limits.most_asks_of_turn || ready_bytes >= most_ready_bytes;
  }
  return eaten;
}

void HttpSession::take_request(Turn& turn, PendingAnswer& answer) {
  const auto& request = reader_.request();
  const auto path = request.path();
  if (const auto options = read_auth_target(request)) return take_auth(turn, answer, *options);
  if (path == "/v1/check") return take_check(turn, answer);
  if (answer_page(request, loop_.environment.status, date(turn), answer.text)) return;
  add_problem(turn, answer, 404,
              "There is no such page. There are POST /v1/check, /v1/auth, " +
                  std::string(page_names) + ".");
}

void HttpSession::add_problem(const Turn& turn, PendingAnswer& answer, int status,
                              std::string_view detail, std::string_view more_fields) {
  append_problem_answer(answer.exchange, date(turn), status, detail, answer.text, more_fields);
}

void HttpSession::take_check(Turn& turn, PendingAnswer& answer) {
  const auto& request = reader_.request();
  if (request.method != "POST") {
    return add_problem(turn, answer, 405, "Checks are sent with POST.", "Allow: POST\r\n");
  }
  auto& reader = loop_.check_reader;
  if (!reader.read(request.body, turn.batch.rules())) {
    return add_problem(turn, answer, 400, reader.error());
  }
  answer.kind = PendingAnswer::Kind::check;
  answer.first = add_to(turn.batch, reader.items());
  answer.first_item = turn.tells_hits.size();
  answer.items = reader.items().size();
  for (const auto& item : reader.items()) turn.tells_hits.push_back(item.tells_hits());
}

void HttpSession::take_auth(Turn& turn, PendingAnswer& answer, const AuthOptions& options) {
  auto original = read_auth_request(reader_.request(), options.source);
  if (!original && options.deny_as_403) {
    return add_problem(turn, answer, 403, original.error(), "X-RateLimit-Status: 400\r\n");
  }
  if (!original) return add_problem(turn, answer, 400, original.error());
  original->peer = peer_.address;
  answer.kind = PendingAnswer::Kind::auth;
  answer.deny_as_403 = options.deny_as_403;
  answer.first = turn.batch.add_request(*original, Verb::acquire);
}

void HttpSession::answer_all(Turn& turn, std::string& output) {
  if (turn.batch.size() > 0) {
    loop_.latency.observe(loop_.clock.now() - turn.batch.now(), turn.batch.size());
  }
  for (const auto& answer : turn.answers) {
    auto& place = held_.empty() ? output : held_.back().bytes;
    switch (answer.kind) {
      case PendingAnswer::Kind::ready: place += answer.text; break;
      case PendingAnswer::Kind::check: answer_check(turn, answer, place); break;
      case PendingAnswer::Kind::auth: answer_auth(turn, answer, place); break;
    }
  }
  loop_.turns.give_back(turn);
  if (held_.empty() && reader_.take_continue()) output += continue_line;
}

void HttpSession::answer_check(const Turn& turn, const PendingAnswer& answer, std::string& output) {
  auto& body = loop_.body;
  body = R"({"results":[)";
  for (std::size_t at = 0; at < answer.items; ++at) {
    if (at > 0) body += ',';
    append_check_result(turn.batch.verdict(answer.first + static_cast<limiter::Batch::Index>(at)),
                        turn.tells_hits[answer.first_item + at], body);
  }
  body += "]}\n";
  append_answer(answer.exchange, date(turn),
                {.status = 200,
                 .content_type = "application/json",
                 .body = body,
                 .fields = nullptr,
                 .more_fields = {}},
                output);
}

void HttpSession::answer_auth(const Turn& turn, const PendingAnswer& answer, std::string& output) {
  const Duration delay = turn.batch.verdict(answer.first).delay;
  if (delay <= Duration::zero()) return write_auth(turn, answer, output);
  const auto& limits = loop_.environment.limits;
  auto charge = turn.batch.charge(answer.first);
  if (delay > limits.longest_hold || loop_.held >= limits.most_held) {
    give_back(turn.batch.now(), charge);
    return write_cannot_wait(turn, answer, output);
  }
  held_.push_back({turn.batch.now() + delay, std::move(charge), {}});
  ++loop_.held;
  write_auth(turn, answer, held_.back().bytes);
}

void HttpSession::write_auth(const Turn& turn, const PendingAnswer& answer, std::string& output) {
  const Verdict& verdict = turn.batch.verdict(answer.first);
  const auto config = loop_.environment.headers.get();
  const auto random = config.retry_jitter > Duration::zero() ? loop_.random() : 0;
  const auto fields = render_headers(verdict, config, turn.batch.now(), random);
  Answer told{.status = http_status(verdict.status),
              .content_type = {},
              .body = {},
              .fields = &fields,
              .more_fields = {}};
  if (verdict.status != Status::allowed && answer.deny_as_403) {
    told.more_fields = true_status_field(std::exchange(told.status, 403));
  } else if (verdict.status != Status::allowed) {
    loop_.body.clear();
    append_problem(verdict, loop_.body);
    told.content_type = "application/problem+json";
    told.body = loop_.body;
  }
  append_answer(answer.exchange, date(turn), told, output);
}

/// Tells whoever is admitted to a queue that is longer than answers are held here.
void HttpSession::write_cannot_wait(const Turn& turn, const PendingAnswer& answer,
                                    std::string& output) {
  std::string fields = "Cache-Control: no-store\r\n";
  if (answer.deny_as_403) fields += true_status_field(503);
  append_problem_answer(answer.exchange, date(turn), answer.deny_as_403 ? 403 : 503,
                        "The request would wait longer than it can be held.", output, fields);
}

void HttpSession::give_back(Time now, const limiter::Charge& charge) {
  if (charge.empty()) return;
  Turn& turn = loop_.turns.take(now);
  turn.batch.add_refund(charge);
  if (loop_.turns.decide(turn, nullptr)) loop_.turns.give_back(turn);
}

namespace {

class HttpSessions final : public SessionFactory {
 public:
  HttpSessions(const HttpEnvironment& environment, const Clock& clock)
      : loop_(environment, clock) {}

  [[nodiscard]] std::unique_ptr<Session> make(const Peer& peer) override {
    return std::make_unique<HttpSession>(loop_, peer);
  }
  [[nodiscard]] std::size_t most_input_bytes() const noexcept override {
    return RequestReader::most_head_bytes;
  }

 private:
  HttpLoop loop_;
};

}  // namespace

std::unique_ptr<SessionFactory> make_http_sessions(const HttpEnvironment& environment,
                                                   const Clock& clock) {
  return std::make_unique<HttpSessions>(environment, clock);
}

std::unique_ptr<SessionFactory> HttpDoor::on_loop(LoopContext& loop) {
  return make_http_sessions(environment_, loop.clock());
}

}  // namespace weir::front
