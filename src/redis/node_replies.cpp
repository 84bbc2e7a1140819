// SPDX-License-Identifier: Apache-2.0
// What a node answers.
#include <algorithm>
#include <array>

#include "redis/node.hpp"

namespace weir::redis {

namespace {

using wire::resp::ParsedReply;

/// Nothing good comes from this connection any more: the server was demoted, is not ready, or has
/// forgotten who is talking to it.
bool ends_connection(std::string_view code) {
  static constexpr std::array<std::string_view, 4> codes{"READONLY", "LOADING", "MASTERDOWN",
                                                         "NOAUTH"};
  return std::ranges::find(codes, code) != codes.end();
}

}  // namespace

void Node::arrived(std::size_t count, Time now) {
  input_.added(count);
  while (!wants_close()) {
    const auto parsed = parse_reply(input_.bytes(), reply_);
    if (parsed.status == ParsedReply::Status::need_more) return;
    if (parsed.status == ParsedReply::Status::error) {
      return break_off("what it sends is not the protocol of Redis: " + std::string(parsed.text));
    }
    handle(now);
    input_.taken(parsed.bytes);
  }
}

void Node::handle(Time now) {
  if (state_ == State::shaking) return shake(now);
  if (awaited_.empty()) return break_off("it answered what was not asked");
  const Awaited awaited = awaited_.pop();
  switch (awaited.kind) {
    case Kind::command: return on_command(awaited, now);
    case Kind::time: return on_time(awaited, now);
    case Kind::probe: return on_probe(awaited, now);
    case Kind::load_script: --loading_; return;
    case Kind::asking: return;
  }
}

void Node::shake(Time now) {
  switch (handshake_->on_reply(reply_)) {
    case Handshake::Progress::more: return;
    case Handshake::Progress::failed: return break_off(handshake_->why());
    case Handshake::Progress::done: break;
  }
  if (!context_.options.use_store_time) return become_ready(now);
  state_ = State::timing;
  clock_.reset();
  ask_time_ = true;
}

void Node::on_command(const Awaited& awaited, Time now) {
  const Ticket ticket = awaited.errand.ticket;
  const bool is_awaited = context_.table.find(ticket) != nullptr;
  if (!is_awaited && orphans_ > 0) --orphans_;
  if (reply_.is_error()) {
    context_.stats.error_replies.fetch_add(1, std::memory_order_relaxed);
    if (on_refusal(awaited, now)) return;
  }
  if (!is_awaited) return;
  if (!breaker_.is_open()) {
    breaker_.good(now);
    backoff_.reset();
  }
  context_.table.replied(ticket, awaited.errand.first, reply_);
}

bool Node::on_refusal(const Awaited& awaited, Time now) {
  const auto code = reply_.error_code();
  const auto give_up = [&] {
    context_.table.refused(awaited.errand.ticket);
    context_.table.give_up(awaited.errand.ticket);
  };
  if (ends_connection(code)) {
    break_off("it answers " + std::string(code));
    return give_up(), true;
  }
  if (context_.table.find(awaited.errand.ticket) == nullptr) return true;
  if (code == "NOSCRIPT" && !awaited.errand.reloaded && !context_.options.scripts.empty()) {
    context_.table.refused(awaited.errand.ticket);
    // One load is enough for all that were sent before it.
    if (!load_scripts_ && loading_ == 0) {
      load_scripts_ = true;
      context_.stats.scripts_reloaded.fetch_add(1, std::memory_order_relaxed);
    }
    Errand again = awaited.errand;
    again.reloaded = true;
    queue_.push(again);
    return true;
  }
  if (context_.options.topology != Topology::cluster) return false;
  if (code == "CLUSTERDOWN") {
    context_.redirector.cluster_is_down();
    return give_up(), true;
  }
  auto redirection = read_redirection(reply_.root().text);
  if (!redirection) return false;
  if (redirection->address.host.empty()) redirection->address.host = address_.host;
  context_.table.refused(awaited.errand.ticket);
  context_.redirector.redirect(awaited.errand, *redirection, now);
  return true;
}

void Node::on_time(const Awaited& awaited, Time now) {
  // A server that does not tell its time is taken to have this machine's.
  const auto time = read_time(reply_);
  if (time && context_.options.use_store_time) clock_.add({awaited.sent, now, *time});
  if (state_ == State::timing) {
    become_ready(now);
  } else if (!breaker_.is_open()) {
    backoff_.reset();
  }
}

void Node::on_probe(const Awaited& awaited, Time now) {
  if (ends_connection(reply_.error_code())) {
    return break_off("it answers " + std::string(reply_.error_code()));
  }
  if (!breaker_.is_open() || now > awaited.due) return;
  probe_due_.reset();
  next_probe_ = now;
  breaker_.probe_good();
  if (breaker_.is_open()) return check_probe(now);
  backoff_.reset();
  tell("answers again", "", false);
}

}  // namespace weir::redis
