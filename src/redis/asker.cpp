// SPDX-License-Identifier: Apache-2.0
#include "redis/asker.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>

namespace weir::redis {

namespace asio = boost::asio;

struct Asker::State : std::enable_shared_from_this<Asker::State> {
  State(asio::io_context& loop, Question what, Accept accepts, Done then)
      : io(loop),
        question(std::move(what)),
        accept(std::move(accepts)),
        done(std::move(then)),
        timer(loop) {}

  void ask_next() {
    if (stream) stream->close();
    if (at == question.servers.size()) return finish(false);
    stream = Stream::dial(io, question.servers[at], question.tls, question.limit,
                          [this](std::string_view error) { error.empty() ? ask() : fail(); });
  }

  void ask() {
    inquiry.emplace(question.login, std::vector<Inquiry::Command>{question.command});
    timer.expires_after(question.limit);
    timer.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (!error && !self->closed) self->fail();
    });
    stream->write(inquiry->output(), [this](std::string_view error) {
      if (!error.empty()) fail();
    });
    read();
  }

  void read() {
    stream->read(inquiry->room(), [this](std::string_view error, std::size_t count) {
      if (!error.empty()) return fail();
      inquiry->arrived(count);
      switch (inquiry->next()) {
        case Inquiry::Progress::need_more: return read();
        case Inquiry::Progress::failed: return fail();
        case Inquiry::Progress::reply: break;
      }
      accept(inquiry->reply(), question.servers[at]) ? finish(true) : fail();
    });
  }

  void fail() {
    timer.cancel();
    ++at;
    ask_next();
  }

  void finish(bool is_answered) {
    const auto self = shared_from_this();  // who is told may destroy the asker
    close();
    done(is_answered);
  }

  void close() {
    closed = true;
    timer.cancel();
    if (stream) stream->close();
  }

  asio::io_context& io;
  Question question;
  Accept accept;
  Done done;
  asio::steady_timer timer;
  std::shared_ptr<Stream> stream;
  std::optional<Inquiry> inquiry;
  std::size_t at = 0;  // of the servers
  bool closed = false;
};

Asker::Asker(asio::io_context& io, Question question, Accept accept, Done done)
    : state_(std::make_shared<State>(io, std::move(question), std::move(accept), std::move(done))) {
  asio::post(io, [state = state_] {
    if (!state->closed) state->ask_next();
  });
}

Asker::~Asker() { state_->close(); }

}  // namespace weir::redis
