// SPDX-License-Identifier: Apache-2.0
#include "front/resp/pipeline.hpp"

#include <array>

#include "front/resp/session.hpp"
#include "front/resp/throttle.hpp"

namespace weir::front::resp {

using wire::resp::Writer;

Pipeline::Pipeline(limiter::Engine& engine, PipelinePool& pool) : batch_(engine), pool_(pool) {
  batch_.owner = this;
  batch_.on_decided = &Pipeline::on_decided;
}

void Pipeline::clear(Time now) {
  batch_.clear(now);
  replies_.clear();
  texts_.clear();
  texts_taken_ = 0;
}

void Pipeline::add_throttle(const Limit& limit, std::string_view key, std::uint64_t cost,
                            Verb verb) {
  replies_.push_back({Reply::Kind::throttle, verb, batch_.add_throttle(limit, key, cost, verb)});
}

void Pipeline::add_named(const rules::RuleLimit& limit, std::string_view key, std::uint64_t cost,
                         Verb verb) {
  const std::array parts{key};
  replies_.push_back({Reply::Kind::named, verb, batch_.add_named(limit, parts, cost, verb)});
}

void Pipeline::end_text() {
  const auto size = static_cast<std::uint32_t>(texts_.size() - texts_taken_);
  replies_.push_back({Reply::Kind::text, Verb::acquire, size});
  texts_taken_ = texts_.size();
}

bool Pipeline::decide(RespSession& waiter) {
  decided_ = batch_.size() == 0;
  if (!decided_) decided_ = batch_.decide() == Store::Applied::now;
  if (!decided_) waiter_ = &waiter;
  return decided_;
}

void Pipeline::on_decided(limiter::Batch& batch) noexcept {
  auto& self = *static_cast<Pipeline*>(batch.owner);
  self.decided_ = true;
  if (self.waiter_ != nullptr) {
    self.waiter_->on_decided();
  } else {
    self.pool_.free_.push_back(&self);
  }
}

void Pipeline::write(std::string& output) const {
  Writer writer(output, false);  // arrays of integers are the same in both protocols
  std::size_t text_at = 0;
  for (const auto& reply : replies_) {
    if (reply.kind == Reply::Kind::text) {
      output.append(texts_, text_at, reply.number);
      text_at += reply.number;
    } else {
      write_verdict(reply, writer);
    }
  }
}

void Pipeline::write_verdict(const Reply& reply, Writer& writer) const {
  const auto& verdict = batch_.verdict(reply.number);
  if (verdict.status == limiter::Status::unavailable) {
    return writer.error("UNAVAILABLE the limit cannot be asked now, and its policy is to deny");
  }
  if (reply.kind == Reply::Kind::throttle) return write_throttle(verdict, reply.verb, writer);
  const Decision& decision = verdict.decision;
  const std::array<std::int64_t, 6> values{
      decision.allowed ? 1 : 0,
      static_cast<std::int64_t>(decision.capacity),
      static_cast<std::int64_t>(decision.remaining),
      decision.retry_after == never ? -1 : decision.retry_after.count(),
      decision.reset_after.count(),
      verdict.delay.count()};
  writer.integers(values);
}

PipelinePool::Handle PipelinePool::take(Time now) {
  if (free_.empty()) {
    free_.reserve(all_.size() + 1);
    all_.push_back(std::make_unique<Pipeline>(engine_, *this));
    free_.push_back(all_.back().get());
  }
  Handle pipeline(free_.back());
  free_.pop_back();
  pipeline->clear(now);
  return pipeline;
}

void PipelinePool::GiveBack::operator()(Pipeline* pipeline) const noexcept {
  pipeline->waiter_ = nullptr;
  if (pipeline->decided_) pipeline->pool_.free_.push_back(pipeline);
}

}  // namespace weir::front::resp
