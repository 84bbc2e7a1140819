// SPDX-License-Identifier: Apache-2.0
#include "limiter/batch_state.hpp"

#include <algorithm>
#include <limits>

#include "limiter/conclude.hpp"

namespace weir::limiter {

namespace {

std::uint64_t saturating_sum(std::uint64_t left, std::uint64_t right) noexcept {
  std::uint64_t sum;
  return __builtin_add_overflow(left, right, &sum) ? std::numeric_limits<std::uint64_t>::max()
                                                   : sum;
}

}  // namespace

void Batch::State::refresh_rules() {
  const auto current = engine.version.load(std::memory_order_acquire);
  if (version == current) return;
  {
    const std::lock_guard lock(engine.ruling_mutex);
    ruling = engine.ruling;
    version = engine.version.load(std::memory_order_relaxed);
  }
  tally = engine.tallies.open(ruling, tally);
  adhoc.clear();  // where they are counted may have changed
}

void Batch::State::add_hit(const rules::RuleLimit& limit, std::uint64_t cost,
                           const Source& source) {
  hits.push_back({.limit = &limit, .cost = cost, .outcome = {}});
  sources.push_back(source);
}

void Batch::State::add_adhoc(const Limit& limit, const Key& key, std::uint64_t cost) {
  const auto& [compiled, shared] = adhoc.get(limit, ruling->rules().asked_store());
  add_hit(compiled, cost, {.key = key, .subject = key, .shared = shared ? &*shared : nullptr});
}

Batch::State::Source Batch::State::source_of(const Key& subject, const LimitIdentity& identity) {
  return {.key = salted(subject, identity.salt),
          .subject = subject,
          .shared = identity.shared ? &*identity.shared : nullptr,
          .predecessors = identity.predecessors.empty() ? nullptr : &identity.predecessors};
}

void Batch::State::add_match(const rules::Request& request) {
  match.clear();
  ruling->rules().match(request, engine.secret, match);
  auto& ask = asks.back();
  if (match.verdict != rules::Match::Verdict::limited) {
    ask.rule = match.rule;
    ask.forbidden |= match.verdict == rules::Match::Verdict::forbidden;
    if (!ask.forbidden) tally->count_exempt();
    return;
  }
  // The shadow rules of one request keep their own parts, behind those of the requests before it.
  const auto base = static_cast<std::uint16_t>(parts_of_ask - 1);
  for (const auto& hit : match.hits) {
    const auto& identity = ruling->identity(*hit.limit);
    const auto part = static_cast<std::uint16_t>(hit.part == 0 ? 0 : base + hit.part);
    Source source = source_of(match.keys[hit.key], identity);
    source.part = part;
    add_hit(*hit.limit, hit.cost, source);
    parts_of_ask = std::max<std::uint16_t>(parts_of_ask, static_cast<std::uint16_t>(part + 1));
  }
}

/// Brings the enforced hits to the front and the parts into ascending order; what is equal stays in
/// order. An ask of one request comes sorted; only an `all` of several with shadow rules does not.
void Batch::State::sort_by_part(Ask& ask) {
  const auto first = ask.first_hit;
  for (std::size_t next = first + 1; next < hits.size(); ++next) {
    for (std::size_t at = next; at > first && sources[at].part < sources[at - 1].part; --at) {
      std::swap(sources[at], sources[at - 1]);
      std::swap(hits[at], hits[at - 1]);
    }
  }
  const auto begin = sources.begin() + first;
  ask.enforced = static_cast<std::uint32_t>(
      std::find_if(begin, sources.end(), [](const Source& s) { return s.part != 0; }) - begin);
}

/// The op of a hit: a new one, or that of an earlier hit of the same counter, whose cost it joins.
std::uint32_t Batch::State::op_for(const HitVerdict& hit, const Source& source,
                                   std::size_t first_op, Verb verb) {
  for (std::size_t at = first_op; at < ops.size(); ++at) {
    Op& op = ops[at];
    if (op.part != source.part || op.key != source.key) continue;
    op.cost = saturating_sum(op.cost, hit.cost);
    return static_cast<std::uint32_t>(at);
  }
  ops.push_back({.key = source.key,
                 .subject = source.subject,
                 .limit = &hit.limit->limit,
                 .shared = source.shared,
                 .cost = hit.cost,
                 .request = static_cast<std::uint32_t>(asks.size() - 1),
                 .part = source.part,
                 .verb = verb});
  if (source.predecessors != nullptr) {
    carry_over_from(*source.predecessors, ops.back());
  }
  return static_cast<std::uint32_t>(ops.size() - 1);
}

void Batch::State::carry_over_from(const std::vector<Predecessor>& predecessors, const Op& op) {
  for (const auto& predecessor : predecessors) {
    moves.push_back({.from = salted(op.subject, predecessor.salt),
                     .before = &predecessor.limit,
                     .to = op.key,
                     .after = op.limit,
                     .subject = op.subject,
                     .shared_before = predecessor.shared ? &*predecessor.shared : nullptr,
                     .shared_after = op.shared});
  }
}

void Batch::State::make_ops(const Ask& ask) {
  const std::size_t first_op = ops.size();
  for (std::size_t at = ask.first_hit; at < hits.size(); ++at) {
    sources[at].op = op_for(hits[at], sources[at], first_op, ask.verb);
  }
}

void Batch::State::close_ask() {
  Ask& ask = asks.back();
  parts_of_ask = 1;
  if (ask.forbidden) {
    hits.resize(ask.first_hit);
    sources.resize(ask.first_hit);
    tally->count_forbidden();
    return;
  }
  ask.hit_count = static_cast<std::uint32_t>(hits.size() - ask.first_hit);
  ask.too_many = ask.hit_count > most_ops_of_request;
  sort_by_part(ask);
  if (!ask.too_many) make_ops(ask);
}

void Batch::State::count(const Ask& ask, std::span<const HitVerdict> met) noexcept {
  if (ask.verb != Verb::acquire) return;
  for (const auto& hit : met) tally->count(*hit.limit, hit.outcome);
}

Verdict Batch::State::conclude_one(const Ask& ask) noexcept {
  const auto met = std::span(hits).subspan(ask.first_hit, ask.hit_count);
  for (std::size_t at = 0; at < met.size(); ++at) {
    if (ask.too_many) {
      met[at].outcome.status = Outcome::Status::unavailable;
    } else {
      met[at].outcome = outcomes[sources[ask.first_hit + at].op];
    }
  }
  count(ask, met);
  Verdict verdict = conclude(met, ask.enforced);
  verdict.rule = ask.rule;
  if (ask.forbidden) {
    verdict.status = Status::forbidden;
    verdict.decision.allowed = false;
  }
  return verdict;
}

/// Whether the part that the op belongs to was admitted, and so charged.
bool Batch::State::admitted(const Op& op) const noexcept {
  const auto same_part = [&op](const Op& other) {
    return other.request == op.request && other.part == op.part;
  };
  std::size_t at = static_cast<std::size_t>(&op - ops.data());
  while (at > 0 && same_part(ops[at - 1])) --at;
  for (; at < ops.size() && same_part(ops[at]); ++at) {
    const auto& outcome = outcomes[at];
    if (outcome.status != Outcome::Status::decided || !outcome.decision.allowed) return false;
  }
  return true;
}

void Batch::State::conclude_all() noexcept {
  for (std::size_t at = 0; at < asks.size(); ++at) verdicts[at] = conclude_one(asks[at]);
}

}  // namespace weir::limiter
