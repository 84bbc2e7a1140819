// SPDX-License-Identifier: Apache-2.0
// One HTTP connection. What comes in one read is decided as one batch and answered in order; an
// answer that has to wait for its place in a leaky queue is held here, and those behind it with it.
#pragma once

#include <deque>
#include <string>

#include "front/http/auth.hpp"
#include "front/http/check.hpp"
#include "front/http/door.hpp"
#include "front/http/turn.hpp"
#include "front/http_request.hpp"

namespace weir::front {

/// What the sessions of one loop share.
struct HttpLoop {
  HttpLoop(const HttpEnvironment& environment_in, const Clock& clock_in);

  /// A fresh random number, for jitter.
  std::uint64_t random() noexcept;

  HttpEnvironment environment;
  const Clock& clock;
  LatencyHistogram& latency;
  TurnPool turns;
  BodyBudget bodies;
  CheckReader check_reader;
  DateField date;
  std::string body;      // of the answer that is being written
  std::size_t held = 0;  // answers
  std::uint64_t random_state;
};

class HttpSession final : public Session {
 public:
  HttpSession(HttpLoop& loop, const Peer& peer) : loop_(loop), peer_(peer), reader_(loop.bodies) {}

  Progress on_bytes(Time now, std::string_view input, std::string& output) override;
  Progress on_wake(Time now, std::string& output) override;
  void on_close(Time now) noexcept override;
  [[nodiscard]] bool idle() const noexcept override;

 private:
  /// An answer whose time has not come, with those behind it.
  struct Held {
    Time due;
    limiter::Charge charge;
    std::string bytes;
  };

  std::size_t take_requests(Turn& turn, std::string_view input);
  void take_request(Turn& turn, PendingAnswer& answer);
  void take_check(Turn& turn, PendingAnswer& answer);
  void take_auth(Turn& turn, PendingAnswer& answer, const AuthOptions& options);
  void add_problem(const Turn& turn, PendingAnswer& answer, int status, std::string_view detail,
                   std::string_view more_fields = {});

  void answer_all(Turn& turn, std::string& output);
  void answer_check(const Turn& turn, const PendingAnswer& answer, std::string& output);
  void answer_auth(const Turn& turn, const PendingAnswer& answer, std::string& output);
  void write_auth(const Turn& turn, const PendingAnswer& answer, std::string& output);
  void write_cannot_wait(const Turn& turn, const PendingAnswer& answer, std::string& output);
  void give_back(Time now, const limiter::Charge& charge);
  [[nodiscard]] std::string_view date(const Turn& turn) { return loop_.date.at(turn.batch.now()); }
  [[nodiscard]] Progress progress(std::size_t eaten) const noexcept;

  HttpLoop& loop_;
  Peer peer_;
  RequestReader reader_;
  Turn* turn_ = nullptr;  // that the store has not decided yet
  std::deque<Held> held_;
  bool closing_ = false;    // no more requests are taken
  bool turn_full_ = false;  // more may be in the input than was taken
};

}  // namespace weir::front
