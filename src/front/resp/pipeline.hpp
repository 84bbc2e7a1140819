// SPDX-License-Identifier: Apache-2.0
// The commands of one read, on their way to their replies: what must be decided is decided
// together, everything else is answered at once, and the replies leave in the order of the
// commands.
//
//     batch     [ ask 0 | ask 1 | ask 2 ]                       decided in one go
//     replies   [ ask 0 | text  | ask 1 | ask 2 | text ]        in the order of the commands
//     texts     [ "+PONG\r\n"                   | "-ERR ..." ]  of replies that are known already
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "limiter/engine.hpp"
#include "wire/resp.hpp"

namespace weir::front::resp {

class RespSession;
class PipelinePool;

class Pipeline {
 public:
  Pipeline(limiter::Engine& engine, PipelinePool& pool);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Starts afresh for what is decided at `now`.
  void clear(Time now);

  [[nodiscard]] std::size_t size() const noexcept { return replies_.size(); }
  [[nodiscard]] std::size_t asks() const noexcept { return batch_.size(); }
  [[nodiscard]] Time now() const noexcept { return batch_.now(); }
  [[nodiscard]] const rules::RuleSet& rules() const noexcept { return batch_.rules(); }

  /// A command of redis-cell, answered as it answers.
  void add_throttle(const Limit& limit, std::string_view key, std::uint64_t cost, Verb verb);
  /// A named limit, answered with weir's six numbers.
  void add_named(const rules::RuleLimit& limit, std::string_view key, std::uint64_t cost,
                 Verb verb);
  /// Where a reply that is known already is appended; `end_text` then takes it as the next one.
  [[nodiscard]] std::string& text() noexcept { return texts_; }
  void end_text();

  /// Whether the verdicts are there; if not, `waiter` is told when they are, unless `abandon` is
  /// called.
  [[nodiscard]] bool decide(RespSession& waiter);
  [[nodiscard]] bool decided() const noexcept { return decided_; }

  void write(std::string& output) const;

 private:
  struct Reply {
    enum class Kind : std::uint8_t { text, throttle, named } kind;
    Verb verb = Verb::acquire;
    std::uint32_t number = 0;  // of a text: its size; else its index in the batch
  };

  static void on_decided(limiter::Batch& batch) noexcept;
  void write_verdict(const Reply& reply, wire::resp::Writer& writer) const;

  limiter::Batch batch_;
  PipelinePool& pool_;
  RespSession* waiter_ = nullptr;
  bool decided_ = true;
  std::vector<Reply> replies_;
  std::string texts_;
  std::size_t texts_taken_ = 0;  // so much of them belongs to replies

  friend class PipelinePool;
};

/// The pipelines of one loop. Few are ever made: one, plus as many as wait for a store at once.
class PipelinePool {
 public:
  struct GiveBack {
    void operator()(Pipeline* pipeline) const noexcept;
  };
  /// One that is not decided yet when it is given back returns to the pool once it is.
  using Handle = std::unique_ptr<Pipeline, GiveBack>;

  explicit PipelinePool(limiter::Engine& engine) : engine_(engine) {}

  /// A pipeline for what is decided at `now`.
  [[nodiscard]] Handle take(Time now);

 private:
  friend class Pipeline;

  limiter::Engine& engine_;
  std::vector<std::unique_ptr<Pipeline>> all_;
  std::vector<Pipeline*> free_;  // has room for all
};

}  // namespace weir::front::resp
