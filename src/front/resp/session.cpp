// SPDX-License-Identifier: Apache-2.0
#include "front/resp/session.hpp"

#include <algorithm>
#include <optional>

#include "front/resp/throttle.hpp"

namespace weir::front::resp {

namespace {

using wire::resp::Parsed;
using wire::resp::Writer;
using Next = Progress::Next;

constexpr std::size_t most_echoed = 128;

std::optional<Verb> verb_of(std::string_view name) {
  if (is_named(name, "weir.acquire")) return Verb::acquire;
  if (is_named(name, "weir.peek")) return Verb::peek;
  if (is_named(name, "weir.debit")) return Verb::debit;
  if (is_named(name, "weir.refund")) return Verb::refund;
  return std::nullopt;
}

std::string unknown_limit(std::string_view name) {
  std::string text = "ERR no limit is named '";
  return text.append(name.substr(0, most_echoed))
      .append("'; the configuration names limits under 'limits:', as in 'api: 10/s burst 50'");
}

}  // namespace

RespSession::RespSession(RespLoop& loop, std::uint64_t id, Waker* waker)
    : loop_(loop), waker_(waker) {
  client_.id = id;
  client_.password = loop.password;
}

Progress RespSession::on_bytes(Time now, std::string_view input, std::string& output) {
  if (input.size() < least_input_) return {};
  auto pipeline = loop_.pool.take(now);
  Progress progress = read_commands(input, *pipeline);
  if (pipeline->decide(*this)) {
    write(*pipeline, output);
    return progress;
  }
  waiting_ = std::move(pipeline);
  next_ = std::exchange(progress.next, Next::wait);
  return progress;
}

Progress RespSession::on_wake(Time, std::string& output) {
  if (waiting_ == nullptr || !waiting_->decided()) return {.next = Next::wait};
  write(*waiting_, output);
  waiting_.reset();
  return {.next = next_};
}

void RespSession::on_close(Time) noexcept { waiting_.reset(); }

void RespSession::on_decided() noexcept { waker_->wake(); }

Progress RespSession::read_commands(std::string_view input, Pipeline& pipeline) {
  Progress progress;
  least_input_ = 0;
  while (!client_.closing) {
    if (pipeline.size() == most_commands) {
      progress.next = Next::again;
      return progress;
    }
    const auto parsed = parse_request(input.substr(progress.eaten), loop_.arguments);
    if (parsed.status == Parsed::Status::need_more) {
      least_input_ = parsed.bytes;
      return progress;
    }
    if (parsed.status == Parsed::Status::error) {
      reply(pipeline, [&](Writer& writer) { writer.error("ERR " + std::string(parsed.text)); });
      break;
    }
    progress.eaten += parsed.bytes;
    if (!loop_.arguments.empty()) command(loop_.arguments.all(), pipeline);
  }
  progress.next = Next::close;
  return progress;
}

void RespSession::write(const Pipeline& pipeline, std::string& output) {
  if (pipeline.asks() > 0) {
    loop_.latency.observe(loop_.clock.now() - pipeline.now(), pipeline.asks());
  }
  pipeline.write(output);
}

template <typename Write>
void RespSession::reply(Pipeline& pipeline, const Write& write) {
  Writer writer(pipeline.text(), client_.resp3);
  write(writer);
  pipeline.end_text();
}

void RespSession::command(Arguments arguments, Pipeline& pipeline) {
  const std::string_view name = arguments[0];
  if (client_.may_ask()) {
    // Compared as nearly all write it first: this is done for every decision.
    if (name == "CL.THROTTLE" || is_named(name, "cl.throttle")) {
      return throttle(arguments.subspan(1), pipeline);
    }
    if (const auto verb = verb_of(name)) return named(*verb, arguments, pipeline);
  }
  if (is_http(name)) {
    client_.closing = true;
    return;
  }
  answer(pipeline.now(), arguments, client_, pipeline.text());
  pipeline.end_text();
}

void RespSession::throttle(Arguments arguments, Pipeline& pipeline) {
  const auto asked = parse_throttle(arguments);
  if (!asked) return reply(pipeline, [&](Writer& writer) { writer.error(asked.error()); });
  pipeline.add_throttle(asked->limit, arguments[0], asked->cost, asked->verb);
}

void RespSession::named(Verb verb, Arguments arguments, Pipeline& pipeline) {
  if (arguments.size() != 3 && arguments.size() != 4) {
    return reply(pipeline, [&](Writer& writer) { wrong_count(arguments[0], writer); });
  }
  const auto* limit = pipeline.rules().named_limit(arguments[1]);
  if (limit == nullptr) {
    return reply(pipeline, [&](Writer& writer) { writer.error(unknown_limit(arguments[1])); });
  }
  std::int64_t cost = 1;
  if (arguments.size() == 4 && (!parse_integer(arguments[3], cost) || cost < 0)) {
    return reply(pipeline, [](Writer& writer) {
      writer.error("ERR cost is not a whole number from 0 up, or out of range");
    });
  }
  pipeline.add_named(*limit, arguments[2], static_cast<std::uint64_t>(cost), verb);
}

}  // namespace weir::front::resp
