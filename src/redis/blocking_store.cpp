// SPDX-License-Identifier: Apache-2.0
#include "redis/blocking_store.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>

namespace weir::redis {
namespace {

Options patient(Options options) {
  options.timeout = std::max<Duration>(options.timeout, std::chrono::seconds{2});
  return options;
}

}  // namespace

struct BlockingStore::State {
  State(const Options& options, const Clock& clock)
      : store(options, clock), part(store.attach(io)) {}

  void wait_for(const bool& done) {
    io.restart();
    while (!done && io.run_one() > 0) continue;
  }

  boost::asio::io_context io{1};
  RedisStore store;
  std::unique_ptr<RedisStore::LoopPart> part;
};

BlockingStore::BlockingStore(Options options, const Clock& clock)
    : state_(std::make_unique<State>(patient(std::move(options)), clock)) {}

BlockingStore::~BlockingStore() = default;

Store::Applied BlockingStore::apply(StoreBatch& batch) noexcept {
  struct Waiting : StoreBatch {
    bool done = false;
  } waiting;
  static_cast<StoreBatch&>(waiting) = batch;
  waiting.on_complete = [](StoreBatch& complete) noexcept {
    static_cast<Waiting&>(complete).done = true;
  };
  if (state_->store.apply(waiting) == Applied::later) state_->wait_for(waiting.done);
  return Applied::now;
}

std::uint32_t BlockingStore::place_of(const Key& subject) const noexcept {
  return state_->store.place_of(subject);
}

void BlockingStore::carry_over(Time now, std::span<const CarryOver> moves) noexcept {
  state_->store.carry_over(now, moves);
}

void BlockingStore::reset(const Key& key, const CompiledLimit& limit) noexcept {
  state_->store.reset(key, limit);
}

// A look at the key goes after it: when that is answered, it is done.
bool BlockingStore::forget(Time now, const Op& op) noexcept {
  state_->store.forget(now, op);
  Op look = op;
  look.verb = Verb::peek;
  Outcome outcome;
  StoreBatch batch;
  batch.now = now;
  batch.ops = {&look, 1};
  batch.outcomes = {&outcome, 1};
  apply(batch);
  return outcome.status == Outcome::Status::decided;
}

ClientStats& BlockingStore::client_stats() noexcept { return state_->store.client_stats(); }

const StoreStats& BlockingStore::stats() const noexcept { return state_->store.stats(); }

}  // namespace weir::redis
