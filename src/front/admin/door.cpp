// SPDX-License-Identifier: Apache-2.0
#include "front/admin/door.hpp"

#include "front/http_answer.hpp"
#include "front/http_request.hpp"
#include "front/pages.hpp"

namespace weir::front {

namespace {

/// Scrapes are small and few: no bodies of any size are expected.
constexpr std::size_t most_body_memory = std::size_t{4} << 20;

/// Answers of this size together end a turn.
constexpr std::size_t most_output_of_turn = std::size_t{256} << 10;

struct AdminLoop {
  const StatusSource& source;
  BodyBudget bodies{most_body_memory};
  DateField date{};
};

class AdminSession final : public Session {
 public:
  explicit AdminSession(AdminLoop& loop) : loop_(loop), reader_(loop.bodies) {}

  Progress on_bytes(Time now, std::string_view input, std::string& output) override {
    std::size_t eaten = 0;
    const std::size_t before = output.size();
    while (output.size() - before < most_output_of_turn) {
      std::size_t more = 0;
      const auto step = reader_.read(input.substr(eaten), more);
      eaten += more;
      if (step == RequestReader::Step::need_more) {
        if (reader_.take_continue()) output += continue_line;
        return {.eaten = eaten, .next = Progress::Next::read};
      }
      if (step == RequestReader::Step::fault) {
        append_problem_answer({.keep_alive = false}, loop_.date.at(now), reader_.fault().status,
                              reader_.fault().detail, output);
        return {.eaten = eaten, .next = Progress::Next::close};
      }
      answer(now, output);
      if (!reader_.request().keep_alive) return {.eaten = eaten, .next = Progress::Next::close};
    }
    return {.eaten = eaten, .next = Progress::Next::again};
  }

  Progress on_wake(Time, std::string&) override { return {}; }
  void on_close(Time) noexcept override {}
  [[nodiscard]] bool idle() const noexcept override { return reader_.idle(); }

 private:
  void answer(Time now, std::string& output) {
    const auto& request = reader_.request();
    if (answer_page(request, loop_.source, loop_.date.at(now), output)) return;
    append_problem_answer(Exchange::of(request), loop_.date.at(now), 404,
                          "There is no such page. There are " + std::string(page_names) + ".",
                          output);
  }

  AdminLoop& loop_;
  RequestReader reader_;
};

class AdminSessions final : public SessionFactory {
 public:
  explicit AdminSessions(const StatusSource& source) : loop_{source} {}

  [[nodiscard]] std::unique_ptr<Session> make(const Peer&) override {
    return std::make_unique<AdminSession>(loop_);
  }
  [[nodiscard]] std::size_t most_input_bytes() const noexcept override {
    return RequestReader::most_head_bytes;
  }

 private:
  AdminLoop loop_;
};

}  // namespace

std::unique_ptr<SessionFactory> make_admin_sessions(const StatusSource& source) {
  return std::make_unique<AdminSessions>(source);
}

std::unique_ptr<SessionFactory> AdminDoor::on_loop(LoopContext&) {
  return make_admin_sessions(source_);
}

}  // namespace weir::front
