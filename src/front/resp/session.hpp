// SPDX-License-Identifier: Apache-2.0
// One Redis client: what a read brought is decided as one batch, and answered in order.
//
//     CL.THROTTLE key max_burst count period [quantity]     as redis-cell: see throttle.hpp
//     WEIR.ACQUIRE|PEEK|DEBIT|REFUND limit key [cost]       a limit that the configuration names
//     -> [allowed 0/1, limit, remaining, retry_after, reset_after, delay]
//
// `limit` is the capacity in units; the times are in nanoseconds, and `retry_after` is -1 where the
// cost can never fit. A leaky queue's delay is the caller's to wait: the reply is not held back.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "front/latency.hpp"
#include "front/resp/client.hpp"
#include "front/resp/pipeline.hpp"
#include "front/session.hpp"
#include "wire/resp.hpp"

namespace weir::front::resp {

/// What the sessions of one loop share.
struct RespLoop {
  RespLoop(limiter::Engine& engine, std::string_view password_in, const Clock& clock_in,
           LatencyHistogram& latency_in)
      : pool(engine), password(password_in), clock(clock_in), latency(latency_in) {}

  PipelinePool pool;
  std::string_view password;  ///< empty: none is asked for
  const Clock& clock;
  LatencyHistogram& latency;
  wire::resp::Arguments arguments;
};

class RespSession final : public Session {
 public:
  /// So many commands are decided in one turn; then other connections have theirs.
  static constexpr std::size_t most_commands = 4096;

  /// `loop` outlives the session; `waker` may be null where the store always answers at once.
  RespSession(RespLoop& loop, std::uint64_t id, Waker* waker);

  Progress on_bytes(Time now, std::string_view input, std::string& output) override;
  Progress on_wake(Time now, std::string& output) override;
  void on_close(Time now) noexcept override;
  [[nodiscard]] bool idle() const noexcept override { return waiting_ == nullptr; }

  /// The verdicts that it waits for are there.
  void on_decided() noexcept;

 private:
  using Arguments = std::span<const std::string_view>;

  Progress read_commands(std::string_view input, Pipeline& pipeline);
  void command(Arguments arguments, Pipeline& pipeline);
  void throttle(Arguments arguments, Pipeline& pipeline);
  void named(Verb verb, Arguments arguments, Pipeline& pipeline);
  void write(const Pipeline& pipeline, std::string& output);
  template <typename Write>
  void reply(Pipeline& pipeline, const Write& write);

  RespLoop& loop_;
  Waker* waker_;
  Client client_;
  std::size_t least_input_ = 0;  // with less there is nothing to be done
  PipelinePool::Handle waiting_;
  Progress::Next next_ = Progress::Next::read;  // what comes after waiting
};

}  // namespace weir::front::resp
