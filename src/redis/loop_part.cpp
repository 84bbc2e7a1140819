// SPDX-License-Identifier: Apache-2.0
#include "redis/loop_part.hpp"

#include <algorithm>
#include <utility>

namespace weir::redis {
namespace {

constexpr Duration slow_unit = std::chrono::milliseconds{100};

void all_unavailable(std::span<Outcome> outcomes) noexcept {
  std::ranges::fill(outcomes, Outcome{.decision = {}, .status = Outcome::Status::unavailable});
}

/// Whether a limit that is enforced refuses.
bool is_refused(const Asked& asked) noexcept {
  for (std::size_t at = 0; at < asked.ops.size() && asked.ops[at].part == 0; ++at) {
    if (!asked.outcomes[at].decision.allowed) return true;
  }
  return false;
}

}  // namespace

RedisStore::Part::Part(RedisStore& store, boost::asio::io_context& io)
    : store_(store),
      codec_(store.options_.key_prefix, store.options_.key_grace),
      denied_(store.options_.deny_cache),
      mover_(client_, codec_, [this] { start_parked(); }),
      client_(io, store.options_, store.clock_, store.client_stats_) {}

Store::Applied RedisStore::Part::apply(StoreBatch& batch) {
  if (!must_wait()) return start(batch);
  parked_.push_back(&batch);
  return Applied::later;
}

bool RedisStore::Part::must_wait() {
  if (store_.options_.use_store_time && !knows_time_ && !is_greeting_) greet();
  return is_greeting_ || mover_.is_busy();
}

/// Before the first reply the store's time is not known, and nothing can be decided at it.
void RedisStore::Part::greet() {
  is_greeting_ = true;
  Question& hello = new_question({}, Time{}, store_.clock_.now() + store_.options_.timeout);
  codec_.greet(hello);
  hello.on_end = [](Exchange& exchange, Exchange::End end) noexcept {
    auto& self = static_cast<Question&>(exchange);
    self.part->greeted(self, end);
  };
  client_.send(hello);
}

void RedisStore::Part::greeted(Question& hello, Exchange::End end) noexcept {
  questions_.give_back(hello);
  is_greeting_ = false;
  knows_time_ = end == Exchange::End::replied;
  start_parked();
}

void RedisStore::Part::start_parked() noexcept {
  const bool is_out_of_reach =
      is_closing_ || (store_.options_.use_store_time && !knows_time_ && !is_greeting_);
  if (!is_out_of_reach && (is_greeting_ || mover_.is_busy())) return;
  for (StoreBatch* batch : std::exchange(parked_, {})) {
    if (is_out_of_reach) all_unavailable(batch->outcomes);
    if (is_out_of_reach || start(*batch) == Applied::now) batch->on_complete(*batch);
  }
}

void RedisStore::Part::carry_over(Time now, std::span<const CarryOver> moves) {
  const Time deadline = store_.clock_.now() + store_.options_.timeout;
  for (const CarryOver& move : moves) {
    if (mover_.is_tried(now, move.to)) continue;
    const auto slot = static_cast<std::uint16_t>(store_.place_of(move.subject));
    mover_.start({store_now(now, slot), deadline, slot, move});
  }
}

Time RedisStore::Part::store_now(Time now, std::uint16_t slot) const noexcept {
  const Duration offset = store_.options_.use_store_time ? client_.clock_offset(slot) : Duration{};
  return std::clamp(store_time(now + offset), Time{}, latest_time);
}

Store::Applied RedisStore::Part::start(StoreBatch& batch) {
  Pending& pending = pendings_.take();
  pending = {.batch = &batch, .open = 0};
  const auto ops = batch.ops;
  for (std::size_t first = 0; first < ops.size();) {
    std::size_t last = first + 1;
    while (last < ops.size() && ops[last].request == ops[first].request) ++last;
    ask(pending, batch.now, ops.subspan(first, last - first),
        batch.outcomes.subspan(first, last - first));
    first = last;
  }
  if (pending.open > 0) return Applied::later;
  pendings_.give_back(pending);
  return Applied::now;
}

void RedisStore::Part::ask(Pending& pending, Time now, std::span<const Op> ops,
                           std::span<Outcome> outcomes) {
  if (ops.size() > most_ops_of_request) return all_unavailable(outcomes);
  const Time deadline =
      std::min(pending.batch->deadline, store_.clock_.now() + store_.options_.timeout);
  Question& question = new_question(ops[0], now, deadline);
  if (is_known_refusal(question.asked.now, ops, outcomes)) {
    store_.stats_.known_refusals.fetch_add(1, std::memory_order_relaxed);
    return questions_.give_back(question);
  }
  question.pending = &pending;
  question.found.resize(ops.size());
  question.epochs.resize(ops.size());
  for (std::size_t at = 0; at < ops.size(); ++at) {
    if (ops[at].verb == Verb::refund) forget_refusal(ops[at].key);
    question.epochs[at] = epoch(ops[at].key).load(std::memory_order_relaxed);
  }
  question.asked.ops = ops;
  question.asked.outcomes = outcomes;
  question.asked.found = question.found;
  question.asked.form = codec_.ask(question.asked.now, ops, question);
  ++pending.open;
  store_.stats_.asked.fetch_add(1, std::memory_order_relaxed);
  client_.send(question);
}

RedisStore::Part::Question& RedisStore::Part::new_question(const Op& op, Time now, Time deadline) {
  Question& question = questions_.take();
  question.part = this;
  question.pending = nullptr;
  question.forgets.reset();
  question.is_broken = false;
  question.is_second = false;
  question.bytes.clear();
  question.ends.clear();
  question.slot = static_cast<std::uint16_t>(store_.place_of(op.subject));
  question.deadline = deadline;
  question.asked = {.now = store_now(now, question.slot)};
  question.on_reply = [](Exchange& exchange, std::size_t command,
                         const wire::resp::Reply& reply) noexcept {
    auto& self = static_cast<Question&>(exchange);
    if (self.pending != nullptr && !read_reply(self.asked, command, reply)) self.is_broken = true;
  };
  question.on_end = [](Exchange& exchange, Exchange::End end) noexcept {
    auto& self = static_cast<Question&>(exchange);
    self.part->end(self, end);
  };
  return question;
}

void RedisStore::Part::end(Question& question, Exchange::End end) noexcept {
  if (question.pending == nullptr) {
    if (question.forgets) forget_refusal(*question.forgets);
    return questions_.give_back(question);
  }
  if (question.asked.ops[0].verb == Verb::refund) {
    for (const Op& op : question.asked.ops) forget_refusal(op.key);
  }
  if (question.is_broken) store_.stats_.broken_states.fetch_add(1, std::memory_order_relaxed);
  if (end == Exchange::End::replied && !question.is_broken) {
    if (ask_again(question)) return;
    learn(question);
    keep_window(question);
  } else {
    all_unavailable(question.asked.outcomes);
  }
  close(question);
}

/// Another instance may have decided a little later by its clock and yet been there first. Then a
/// full bucket seems to lack that little, and where its units are slow the caller would be told to
/// wait for long. Such a refusal, which time has overtaken while it was on its way, is asked once
/// more.
bool RedisStore::Part::ask_again(Question& question) {
  const auto& [form, asked_at, ops, outcomes, found] = question.asked;
  if (question.is_second || !store_.options_.use_store_time || ops[0].verb != Verb::acquire) {
    return false;
  }
  const Time now = store_time(store_.clock_.now() + client_.clock_offset(question.slot));
  bool is_overtaken = false;
  for (std::size_t at = 0; at < ops.size(); ++at) {
    if (ops[at].part != 0 || outcomes[at].decision.allowed) continue;
    const CompiledLimit& limit = *ops[at].limit;
    const bool is_slow = limit.limit.has_burst() && limit.limit.count() > 0 &&
                         limit.limit.period() / limit.limit.count() >= slow_unit;
    if (!is_slow || outcomes[at].decision.retry_after > now - asked_at) return false;
    is_overtaken = true;
  }
  if (!is_overtaken) return false;
  question.is_second = true;
  question.bytes.clear();
  question.ends.clear();
  question.asked.now = std::min(now, latest_time);
  question.asked.form = codec_.ask(question.asked.now, ops, question);
  client_.send(question);
  return true;
}

/// What a refused request saw is known for a while.
void RedisStore::Part::learn(const Question& question) {
  const Asked& asked = question.asked;
  if (asked.ops[0].verb != Verb::acquire || !is_refused(asked)) return;
  for (std::size_t at = 0; at < asked.ops.size(); ++at) {
    denied_.put({.key = asked.ops[at].key,
                 .found = asked.found[at],
                 .seen = asked.now,
                 .cost = asked.ops[at].cost,
                 .epoch = question.epochs[at]});
  }
}

/// A refused window's key may be one without an end, made by hand: it gets one.
void RedisStore::Part::keep_window(const Question& question) {
  const Asked& asked = question.asked;
  if (asked.form != Form::window || asked.outcomes[0].decision.allowed) return;
  Question& keep = new_question(asked.ops[0], asked.now, question.deadline);
  codec_.keep(asked.now, asked.ops[0], keep);
  client_.send(keep);
}

void RedisStore::Part::close(Question& question) noexcept {
  Pending& pending = *question.pending;
  questions_.give_back(question);
  if (--pending.open > 0) return;
  StoreBatch& batch = *pending.batch;
  pendings_.give_back(pending);
  batch.on_complete(batch);
}

void RedisStore::Part::forget(Time now, const Op& op) {
  Question& question = new_question(op, now, store_.clock_.now() + store_.options_.timeout);
  question.forgets = op.key;
  forget_refusal(op.key);
  codec_.forget(question.asked.now, op, question);
  client_.send(question);
}

/// Both when it is asked, for what follows on this loop, and when it is done, for the others.
void RedisStore::Part::forget_refusal(const Key& key) noexcept {
  epoch(key).fetch_add(1, std::memory_order_relaxed);
}

std::atomic<std::uint32_t>& RedisStore::Part::epoch(const Key& key) noexcept {
  return store_.given_back_[key.hi % store_.given_back_.size()];
}

/// Whether the request was refused a moment ago, and would be still: its outcomes are filled in.
bool RedisStore::Part::is_known_refusal(Time now, std::span<const Op> ops,
                                        std::span<Outcome> outcomes) noexcept {
  if (ops[0].verb != Verb::acquire || ops[0].part != 0) return false;
  known_.resize(ops.size());
  for (std::size_t at = 0; at < ops.size(); ++at) {
    const auto* entry =
        denied_.find(ops[at].key, now, epoch(ops[at].key).load(std::memory_order_relaxed));
    if (entry == nullptr) return false;
    known_[at] = entry->found;
    if (ops[at].limit->shape != Shape::log) continue;
    // Of a log it is known how long it takes until there is room for this cost, and no other.
    const Duration since = now - entry->seen;
    FoundLog& log = known_[at].log;
    if (entry->cost != ops[at].cost || log.wait <= since) return false;
    log.wait -= since;
    log.reset -= since;
  }
  const Asked asked{Form::decide, now, ops, outcomes, known_};
  decide_by_found(asked);
  return is_refused(asked);
}

}  // namespace weir::redis
