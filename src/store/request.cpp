// SPDX-License-Identifier: Apache-2.0
#include "store/request.hpp"

#include <algorithm>

#include "store/make_in.hpp"

namespace weir::store {

namespace {

/// Where all newcomers of a limit are counted when the table is full and set to share. Limits of
/// the same numbers share it too.
Key overflow_key(const Limit& limit) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
  const auto mix = [](std::uint64_t hash, std::uint64_t number) noexcept {
    hash = (hash ^ number) * odd;
    return hash ^ (hash >> 29);
  };
  std::uint64_t hash = mix(odd, static_cast<std::uint64_t>(limit.algorithm()));
  hash = mix(hash, limit.count());
  hash = mix(hash, limit.capacity());
  hash = mix(hash, static_cast<std::uint64_t>(limit.period().count()));
  return {.hi = mix(hash, 1), .lo = mix(hash, 2)};
}

/// Whether a key that is not there comes to stand in the table by this.
bool leaves_a_state(const Op& op) noexcept {
  return op.cost > 0 && (op.verb == Verb::acquire || op.verb == Verb::debit);
}

Decision step_on_nothing(const CompiledLimit& limit, Verb verb, std::uint64_t cost,
                         Time now) noexcept {
  switch (limit.shape) {
    case Shape::word: {
      WordState state = 0;
      return step(limit, verb, cost, now, state);
    }
    case Shape::wide: {
      WideState state;
      return step(limit, verb, cost, now, state);
    }
    case Shape::log: break;
  }
  LogEntry entry;
  LogRing ring({&entry, 1});
  return step(limit, verb, cost, now, ring);
}

}  // namespace

Request::Request(Slots& slots, Time now, std::span<const Op> ops,
                 std::span<Outcome> outcomes) noexcept
    : slots_(slots), now_(now), ops_(ops), outcomes_(outcomes), hold_(slots.groups()) {
  for (const Op& op : ops_) {
    targets_.emplace_back().address = slots_.geometry().locate(op.key, op.limit->shape);
  }
}

void Request::decide() noexcept {
  bool both_groups = ops_.size() == 1;
  for (bool done = false; !done;) {
    lock(both_groups);
    done = find_all() && decide_locked();
    both_groups = true;
    hold_.release();
  }
}

void Request::lock(bool both_groups) noexcept {
  for (const auto& target : targets_) {
    const auto& [tag, home, away] = target.address;
    const bool in_home = !both_groups && slots_.group(home).find(tag) != Group::nowhere;
    const bool in_away =
        !both_groups && !in_home && slots_.group(away).find(tag | away_flag) != Group::nowhere;
    if (!in_away) hold_.want(home);
    if (!in_home) hold_.want(away);
  }
  hold_.lock();
}

/// False where a key has left the one group that was locked for it.
bool Request::find_all() noexcept {
  for (auto& target : targets_) {
    const bool home = hold_.holds(target.address.home);
    const bool away = hold_.holds(target.address.away);
    target.place = slots_.find(target.address, home, away);
    if (target.place) hold_.pin(*target.place);
    if (!target.place && !(home && away)) return false;
  }
  return true;
}

/// False where newcomers are to be counted with an overflow key, and its groups are to be locked
/// first.
bool Request::decide_locked() noexcept {
  bool enforced_admit = true;
  for (std::size_t at = 0; at < ops_.size();) {
    const Part part = part_from(at);
    bool admits = peek(part);
    if (admits && enforced_admit) {
      const Reserved reserved = reserve(part);
      if (reserved == Reserved::elsewhere) return false;
      admits = reserved == Reserved::yes;
    }
    if (ops_[at].part == 0) enforced_admit = admits;
    targets_[at].is_charged = admits && enforced_admit;
    at = part.last;
  }
  for (std::size_t at = 0; at < ops_.size();) {
    const Part part = part_from(at);
    // A key may have been charged in an earlier part: look again.
    const auto admits_still = [&] { return peek(part) && reserve(part) == Reserved::yes; };
    if (targets_[at].is_charged && (at == 0 || admits_still())) charge(part);
    at = part.last;
  }
  return true;
}

Request::Part Request::part_from(std::size_t first) const noexcept {
  std::size_t last = first + 1;
  while (last < ops_.size() && ops_[last].part == ops_[first].part) ++last;
  return {first, last};
}

/// Whether the part admits. The other verbs are never refused.
bool Request::peek(Part part) noexcept {
  bool admits = true;
  for (std::size_t at = part.first; at < part.last; ++at) {
    auto& [address, place, is_overflow, is_charged] = targets_[at];
    if (!place && part.first != 0) place = slots_.find(address, true, true);  // of an earlier part
    outcomes_[at].status = Outcome::Status::decided;
    make_in(outcomes_[at].decision, [&] { return step(at, Verb::peek); });
    if (ops_[at].verb == Verb::acquire) admits &= outcomes_[at].decision.allowed;
  }
  return admits;
}

Request::Reserved Request::reserve(Part part) noexcept {
  for (std::size_t at = part.first; at < part.last; ++at) {
    const Reserved reserved = reserve(at);
    if (reserved != Reserved::yes) return reserved;
  }
  return Reserved::yes;
}

Request::Reserved Request::reserve(std::size_t index) noexcept {
  const Op& op = ops_[index];
  Target& target = targets_[index];
  if (!leaves_a_state(op)) return Reserved::yes;
  if (!target.place) {
    target.place = slots_.add(hold_, target.address, now_, eviction(target));
    if (!target.place) return no_room(index);
  }
  if (op.limit->shape != Shape::log) return Reserved::yes;
  const bool room =
      slots_.ensure_log_room(hold_, *target.place, *op.limit, op.verb, now_, eviction(target));
  return room ? Reserved::yes : no_room(index);
}

Request::Reserved Request::no_room(std::size_t index) noexcept {
  Target& target = targets_[index];
  if (slots_.when_full() == WhenFull::share && !target.is_overflow && !target.place) {
    const Address overflow =
        slots_.geometry().locate(overflow_key(ops_[index].limit->limit), ops_[index].limit->shape);
    const bool taken = std::any_of(targets_.begin(), targets_.end(), [&](const Target& other) {
      return other.address.tag == overflow.tag && other.address.home == overflow.home;
    });
    if (!taken) {
      target = {.address = overflow, .place = {}, .is_overflow = true};
      slots_.counters().count(Event::shared_newcomer);
      return Reserved::elsewhere;
    }
  }
  slots_.counters().count(Event::full_refusal);
  outcomes_[index].status = Outcome::Status::table_full;
  outcomes_[index].decision.allowed = false;
  outcomes_[index].decision.retry_after = wait_for_room(index);
  return Reserved::no;
}

/// For a place: exact if nothing else happens. For an instant of a log: when the last one has left.
Duration Request::wait_for_room(std::size_t index) const noexcept {
  const Target& target = targets_[index];
  const std::int64_t from = slots_.room_from(target.address);
  if (target.place || from <= ns(now_)) return ops_[index].limit->limit.period();
  return Duration{from - ns(now_)};
}

void Request::charge(Part part) noexcept {
  for (std::size_t at = part.first; at < part.last; ++at) {
    make_in(outcomes_[at].decision, [&] { return step(at, ops_[at].verb); });
  }
}

Decision Request::step(std::size_t index, Verb verb) noexcept {
  const Op& op = ops_[index];
  const auto& place = targets_[index].place;
  return place ? slots_.step(*place, *op.limit, verb, op.cost, now_)
               : step_on_nothing(*op.limit, verb, op.cost, now_);
}

Eviction Request::eviction(const Target& target) const noexcept {
  const bool may = slots_.when_full() == WhenFull::evict || target.is_overflow;
  return may ? Eviction::of_live : Eviction::none;
}

}  // namespace weir::store
