// SPDX-License-Identifier: Apache-2.0
// The life of a node's connection, and what is written on it.
#include "redis/node.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "redis/show.hpp"

namespace weir::redis {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_orphans = 1024;
constexpr Duration shortest_probe_wait = 10ms;
constexpr Duration least_patience = 100ms;  // however short the timeout of decisions is
constexpr Duration most_patience = 10s;     // however long an asker waits
// A new connection's first samples of the time come soon, so that the best is a good one.
constexpr unsigned first_samples = 4;
constexpr Duration first_sample_interval = 50ms;
constexpr Duration sample_interval = 2s;

}  // namespace

Node::Node(std::uint16_t index, Address address, const Context& context)
    : index_(index),
      address_(std::move(address)),
      context_(context),
      backoff_(context.options.longest_backoff, context.seed) {}

bool Node::take(const Errand& errand) {
  if (breaker_.is_open()) return false;
  if (queue_.size() + awaited_.size() >= context_.options.most_waiting) return false;
  retired_ = false;
  context_.table.find(errand.ticket)->node = index_;
  queue_.push(errand);
  return true;
}

bool Node::wants_dial(Time now) const noexcept {
  return state_ == State::waiting && !retired_ && now >= next_dial_;
}

void Node::dialed(Time now) {
  assert(state_ == State::dialing);
  state_ = State::shaking;
  handshake_.emplace(context_.options, output_);
  shaken_by_ = now + context_.options.connect_limit();
}

void Node::dial_failed(Time now, std::string_view why) {
  forget_connection();
  failed_to_connect(now, why);
}

void Node::failed_to_connect(Time now, std::string_view why) {
  next_dial_ = now + backoff_.next();
  context_.stats.connects_failed.fetch_add(1, std::memory_order_relaxed);
  if (!told_trouble_) tell("is out of reach: ", why, true);
  told_trouble_ = true;
  breaker_.open();
  give_up_queue();
}

void Node::become_ready(Time now) {
  state_ = State::ready;
  handshake_.reset();
  context_.stats.connects.fetch_add(1, std::memory_order_relaxed);
  context_.stats.open_connections.fetch_add(1, std::memory_order_relaxed);
  tell("connected", "", false);
  told_trouble_ = false;
  next_probe_ = now;
  next_sample_ = now + first_sample_interval;
}

void Node::break_off(std::string_view why) {
  if (trouble_.empty()) trouble_ = why;
}

void Node::drop(std::string_view why) {
  next_dial_ = {};
  backoff_.reset();
  if (state_ == State::waiting) return;
  dropped_ = true;
  break_off(why);
}

void Node::retire() {
  if (retired_) return;
  retired_ = true;
  if (state_ != State::waiting) drop("serves no slot any more");
  give_up_queue();
}

void Node::start_at(Address address) {
  assert(retired_);
  address_ = std::move(address);
  retired_ = told_trouble_ = false;
  next_dial_ = {};
  breaker_ = {};
  backoff_.reset();
  clock_.reset();
}

void Node::lost(Time now, std::string_view why) {
  const bool was_ready = state_ == State::ready;
  const bool was_dropped = dropped_;
  const std::string reason = trouble_.empty() ? std::string(why) : trouble_;
  forget_connection();
  if (was_ready) {
    context_.stats.open_connections.fetch_sub(1, std::memory_order_relaxed);
    tell("connection lost: ", reason, !was_dropped);
  }
  if (was_ready || was_dropped) {
    next_dial_ = now + backoff_.next();
  } else {
    failed_to_connect(now, reason);
  }
  give_up_in_flight();
}

void Node::close() noexcept {
  if (state_ == State::ready) {
    context_.stats.open_connections.fetch_sub(1, std::memory_order_relaxed);
  }
  forget_connection();
  retired_ = true;
}

void Node::forget_connection() noexcept {
  state_ = State::waiting;
  handshake_.reset();
  output_.clear();
  input_.clear();
  trouble_.clear();
  writing_ = load_scripts_ = ask_time_ = probe_ = dropped_ = false;
  loading_ = orphans_ = samples_ = 0;
  probe_due_.reset();
  std::swap(awaited_, lost_);
}

void Node::give_up_queue() {
  // What an asker sends from within is refused, or stands behind what is given up here.
  for (auto left = queue_.size(); left > 0; --left) context_.table.give_up(queue_.pop().ticket);
}

void Node::give_up_in_flight() {
  for (; !lost_.empty(); lost_.pop()) {
    if (lost_.front().kind == Kind::command) context_.table.give_up(lost_.front().errand.ticket);
  }
}

std::string_view Node::take_output(Time now) {
  if (writing_ || wants_close()) return {};
  if (state_ == State::ready || state_ == State::timing) write_all(now);
  writing_ = !output_.empty();
  return output_;
}

void Node::wrote() noexcept {
  writing_ = false;
  output_.clear();
}

void Node::write_all(Time now) {
  constexpr std::array<std::string_view, 1> time{"TIME"};
  constexpr std::array<std::string_view, 1> ping{"PING"};
  if (ask_time_) write_own(Kind::time, time, now);
  if (probe_) write_own(Kind::probe, ping, now);
  ask_time_ = probe_ = false;
  if (state_ != State::ready) return;
  if (load_scripts_) {
    append_script_loads(context_.options, output_);
    loading_ = context_.options.scripts.size();
    const Awaited awaited{Kind::load_script, {}, now + context_.options.timeout, now};
    for (std::size_t i = 0; i < loading_; ++i) awaited_.push(awaited);
    load_scripts_ = false;
  }
  while (!queue_.empty()) write(queue_.pop(), now);
}

void Node::write_own(Kind kind, std::span<const std::string_view> words, Time now) {
  wire::resp::append_command(output_, words);
  awaited_.push({kind, {}, now + context_.options.timeout, now});
}

void Node::write(const Errand& errand, Time now) {
  const auto* entry = context_.table.find(errand.ticket);
  if (entry == nullptr || entry->exchange->deadline <= now) return;
  const Exchange& exchange = *entry->exchange;
  const Time due = std::min(exchange.deadline, now + most_patience);
  Errand one = errand;
  one.count = 1;
  for (auto command = errand.first; command < errand.first + errand.count; ++command) {
    constexpr std::array<std::string_view, 1> asking{"ASKING"};
    if (errand.asking) write_own(Kind::asking, asking, now);
    const std::size_t begin = command == 0 ? 0 : exchange.ends[command - 1];
    output_.append(exchange.bytes, begin, exchange.ends[command] - begin);
    one.first = command;
    awaited_.push({Kind::command, one, due, now});
  }
  context_.table.written(errand.ticket, errand.count);
}

void Node::tick(Time now) {
  if (state_ == State::shaking && now >= shaken_by_) break_off("no answer to the handshake");
  if (state_ != State::timing && state_ != State::ready) return;
  if (!awaited_.empty() && now >= silent_by()) {
    break_off("it has stopped to answer");
  }
  if (state_ != State::ready) return;
  if (breaker_.is_open()) check_probe(now);
  if (now >= next_sample_) {
    ask_time_ = true;
    next_sample_ = now + (++samples_ < first_samples ? first_sample_interval : sample_interval);
  }
}

/// When the oldest command is so late that the connection is taken to be dead.
Time Node::silent_by() const noexcept {
  return awaited_.front().due + std::max(2 * context_.options.timeout, least_patience);
}

void Node::check_probe(Time now) {
  if (probe_due_ && now >= *probe_due_) {
    probe_due_.reset();
    breaker_.probe_failed();
    next_probe_ = now + std::max(backoff_.next(), shortest_probe_wait);
  }
  if (probe_due_ || now < next_probe_) return;
  probe_ = true;
  probe_due_ = now + context_.options.timeout;
}

Time Node::next_time() const noexcept {
  switch (state_) {
    case State::waiting: return retired_ ? Time::max() : next_dial_;
    case State::dialing: return Time::max();
    case State::shaking: return shaken_by_;
    case State::timing:
    case State::ready: break;
  }
  Time next = Time::max();
  if (!awaited_.empty()) next = silent_by();
  if (state_ != State::ready) return next;
  if (breaker_.is_open()) next = std::min(next, probe_due_ ? *probe_due_ : next_probe_);
  return std::min(next, next_sample_);
}

void Node::timed_out(std::uint32_t commands, Time now) {
  if (state_ != State::ready) return;
  orphans_ += commands;
  if (orphans_ > most_orphans) break_off("too many commands are not answered");
  if (breaker_.is_open()) return;
  breaker_.failed(now);
  if (!breaker_.is_open()) return;
  tell("does not answer in time", "", true);
  next_probe_ = now + std::max(backoff_.next(), shortest_probe_wait);
  give_up_queue();
}

void Node::tell(std::string_view text, std::string_view why, bool is_trouble) {
  if (!context_.stats.on_change) return;
  std::string line = shown(address_);
  line.append(": ").append(text).append(why);
  context_.stats.on_change(line, is_trouble);
}

}  // namespace weir::redis
