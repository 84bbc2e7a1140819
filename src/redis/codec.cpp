// SPDX-License-Identifier: Apache-2.0
// Requests become commands.
#include "redis/codec.hpp"

#include <algorithm>
#include <array>

#include "redis/bucket_scale.hpp"
#include "redis/found.hpp"

namespace weir::redis {
namespace {

using namespace std::string_view_literals;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// 285 years: beyond all time that weir knows, and within what Redis can add to its own.
constexpr milliseconds longest_life{9'000'000'000'000};

bool is_packed(const Op& op) noexcept { return !FieldName(op).empty(); }

std::uint64_t count_of(const Op& op) noexcept { return op.limit->limit.count(); }

/// What may be used already for the cost to fit; negative where it never does.
std::int64_t room_for(const Op& op) noexcept {
  if (op.cost > count_of(op)) return -1;
  return static_cast<std::int64_t>(count_of(op) - op.cost);
}

struct Window {
  std::uint64_t number;
  Duration left;
};

Window window_at(const Op& op, Time now) noexcept {
  const Duration period = op.limit->limit.period();
  const Duration since = now.time_since_epoch();
  return {static_cast<std::uint64_t>(since / period), period - since % period};
}

Duration longest_state(const Op& op, Time now) noexcept {
  const Duration period = op.limit->limit.period();
  Duration own = period;
  switch (op.limit->limit.algorithm()) {
    case Algorithm::sliding_log: return period;
    case Algorithm::sliding_counter: own = period * 2; break;
    case Algorithm::fixed_window: own = is_packed(op) ? period : window_at(op, now).left; break;
    default: own = BucketScale(*op.limit).longest_state(op.cost);
  }
  return is_packed(op) ? std::max(own, op.shared->longest_state) : own;
}

/// Whether it is one acquire, in one part, of limits that stand in one key.
bool are_one_pack(std::span<const Op> ops) noexcept {
  const auto is_like_first = [&](const Op& op) {
    return op.verb == Verb::acquire && is_packed(op) && op.part == ops[0].part &&
           op.subject == ops[0].subject && op.shared->pack == ops[0].shared->pack;
  };
  return is_packed(ops[0]) && std::ranges::all_of(ops, is_like_first);
}

Form form_of(Time now, std::span<const Op> ops) noexcept {
  const Op& op = ops[0];
  if (are_one_pack(ops)) return Form::pack;
  if (ops.size() > 1 || is_packed(op)) return Form::decide;
  if (op.limit->shape == Shape::log) return Form::one;
  if (op.verb == Verb::peek || op.cost == 0) return Form::get;
  if (op.verb != Verb::acquire) return Form::one;
  switch (op.limit->limit.algorithm()) {
    case Algorithm::fixed_window: return room_for(op) < 0 ? Form::get : Form::window;
    case Algorithm::sliding_counter: return room_for(op) < 0 ? Form::get : Form::one;
    default: break;
  }
  const BucketScale scale(*op.limit);
  HiLo latest;
  if (!scale.latest(now, op.cost, latest)) return Form::get;
  return scale.base() == 1 ? Form::bucket : Form::one;
}

/// As the scripts know it.
std::string_view kind_of(const Op& op) noexcept {
  switch (op.limit->limit.algorithm()) {
    case Algorithm::fixed_window: return is_packed(op) ? "w" : "f";
    case Algorithm::sliding_counter: return "c";
    case Algorithm::sliding_log: return "l";
    default: return "b";
  }
}

std::string_view letter_of(Verb verb) noexcept {
  return std::string_view("apdr").substr(static_cast<std::size_t>(verb), 1);
}

}  // namespace

std::int64_t Codec::time_to_live(Duration state) const noexcept {
  if (state > longest_life) return longest_life.count();
  return (std::chrono::ceil<milliseconds>(state) + std::chrono::ceil<milliseconds>(grace_)).count();
}

Form Codec::ask(Time now, std::span<const Op> ops, Exchange& exchange) {
  const Form form = form_of(now, ops);
  switch (form) {
    case Form::get: ask_get(ops[0], now, exchange); break;
    case Form::bucket: ask_bucket(ops[0], now, exchange); break;
    case Form::window: ask_window(ops[0], now, exchange); break;
    case Form::one: ask_one(ops[0], now, exchange); break;
    case Form::pack: ask_pack(ops, now, exchange); break;
    case Form::decide: ask_decide(ops, now, exchange); break;
  }
  return form;
}

void Codec::ask_get(const Op& op, Time now, Exchange& exchange) {
  command_.add_all("GET"sv, key_name(prefix_, op, now).view());
  command_.finish(exchange);
}

void Codec::ask_bucket(const Op& op, Time now, Exchange& exchange) {
  static const Script& bucket = script("bucket");
  const BucketScale scale(*op.limit);
  HiLo latest;
  static_cast<void>(scale.latest(now, op.cost, latest));
  command_.begin_script(bucket, 1);
  command_.add_all(key_name(prefix_, op, now).view(), scale.instant(now).hi, latest.hi,
                   scale.work(op.cost).hi, time_to_live(longest_state(op, now)));
  command_.finish(exchange);
}

// The key counts the units left down, and the decrement fails where there are not so many.
void Codec::ask_window(const Op& op, Time now, Exchange& exchange) {
  const KeyName key = key_name(prefix_, op, now);
  const std::uint64_t most = count_of(op);
  std::array<char, 4> left;
  for (int byte = 0; byte < 4; ++byte) {
    left[static_cast<std::size_t>(byte)] = static_cast<char>(most >> (24 - 8 * byte));
  }
  command_.add_all("SET"sv, key.view(), std::string_view(left.data(), left.size()), "PX"sv,
                   time_to_live(longest_state(op, now)), "NX"sv);
  command_.finish(exchange);
  command_.add_all("BITFIELD"sv, key.view(), "OVERFLOW"sv, "FAIL"sv, "INCRBY"sv, "u32"sv, "0"sv,
                   -static_cast<std::int64_t>(op.cost));
  if (op.cost > 1) command_.add_all("GET"sv, "u32"sv, "0"sv);
  command_.finish(exchange);
}

void Codec::greet(Exchange& exchange) {
  command_.add("PING"sv);
  command_.finish(exchange);
}

void Codec::move(Time now, const MoveEnd& from, const MoveEnd& to, Exchange& exchange) {
  static const Script& carry = script("carry");
  const auto is_log = [](const MoveEnd& end) { return end.op.limit->shape == Shape::log; };
  command_.begin_script(carry, 2);
  command_.add_all(key_name(prefix_, from.op, now).view(), key_name(prefix_, to.op, now).view(),
                   is_log(from) && is_log(to) ? "m"sv : ""sv);
  for (const MoveEnd* end : {&from, &to}) {
    command_.add_all(kind_of(end->op), FieldName(end->op).view(), end->seen,
                     time_to_live(longest_state(end->op, now)));
    add_numbers(end->op, now);
  }
  command_.finish(exchange);
}

void Codec::keep(Time now, const Op& op, Exchange& exchange) {
  command_.add_all("PEXPIRE"sv, key_name(prefix_, op, now).view(),
                   time_to_live(longest_state(op, now)), "NX"sv);
  command_.finish(exchange);
}

void Codec::forget(Time now, const Op& op, Exchange& exchange) {
  const KeyName key = key_name(prefix_, op, now);
  if (const FieldName field(op); !field.empty()) {
    command_.add_all("HDEL"sv, key.view(), field.view());
  } else {
    command_.add_all("DEL"sv, key.view());
  }
  command_.finish(exchange);
}

void Codec::ask_one(const Op& op, Time now, Exchange& exchange) {
  static const Script& one = script("one");
  command_.begin_script(one, 1);
  command_.add_all(key_name(prefix_, op, now).view(), kind_of(op), letter_of(op.verb),
                   time_to_live(longest_state(op, now)));
  add_numbers(op, now);
  command_.finish(exchange);
}

void Codec::ask_pack(std::span<const Op> ops, Time now, Exchange& exchange) {
  static const Script& pack = script("pack");
  Duration longest{};
  for (const Op& op : ops) longest = std::max(longest, longest_state(op, now));
  command_.begin_script(pack, 1);
  command_.add_all(key_name(prefix_, ops[0], now).view(), time_to_live(longest), ops.size());
  for (const Op& op : ops) command_.add(FieldName(op).view());
  for (const Op& op : ops) {
    command_.add(kind_of(op));
    add_numbers(op, now);
  }
  command_.finish(exchange);
}

void Codec::ask_decide(std::span<const Op> ops, Time now, Exchange& exchange) {
  static const Script& decide = script("decide");
  std::array<KeyName, most_ops_of_request> keys;
  std::array<std::size_t, most_ops_of_request> key_of_op;
  std::size_t count = 0;
  for (std::size_t at = 0; at < ops.size(); ++at) {
    keys[count] = key_name(prefix_, ops[at], now);
    const auto known = std::find(keys.begin(), keys.begin() + count, keys[count]) - keys.begin();
    key_of_op[at] = static_cast<std::size_t>(known) + 1;
    if (key_of_op[at] > count) ++count;
  }
  command_.begin_script(decide, count);
  for (std::size_t at = 0; at < count; ++at) command_.add(keys[at].view());
  for (std::size_t at = 0; at < ops.size(); ++at) {
    const Op& op = ops[at];
    command_.add_all(kind_of(op), key_of_op[at], FieldName(op).view(), op.part, letter_of(op.verb),
                     time_to_live(longest_state(op, now)));
    add_numbers(op, now);
  }
  command_.finish(exchange);
}

void Codec::add_numbers(const Op& op, Time now) {
  const Duration period = op.limit->limit.period();
  const std::uint64_t cost = std::min(op.cost, most_number);
  const auto add_split = [&](Duration time) {
    const auto ns = static_cast<std::uint64_t>(time.count());
    command_.add_all(ns >> 27, ns & ((1u << 27) - 1));
  };
  switch (op.limit->limit.algorithm()) {
    case Algorithm::fixed_window:
      if (is_packed(op)) {
        return command_.add_all(window_at(op, now).number, room_for(op), cost);
      }
      return command_.add_all(room_for(op), cost, count_of(op));
    case Algorithm::sliding_counter:
      command_.add_all(window_at(op, now).number, room_for(op), cost);
      add_split(window_at(op, now).left);
      return add_split(period);
    case Algorithm::sliding_log:
      return command_.add_all(now.time_since_epoch() / microseconds{1},
                              std::chrono::ceil<microseconds>(period).count(), room_for(op), cost,
                              count_of(op));
    default: add_bucket(op, now);
  }
}

void Codec::add_bucket(const Op& op, Time now) {
  const BucketScale scale(*op.limit);
  HiLo latest;
  const bool can_fit = scale.latest(now, op.cost, latest);
  const HiLo instant = scale.instant(now);
  const HiLo work = scale.work(op.cost);
  command_.add_all(instant.hi, instant.lo);
  if (can_fit) {
    command_.add_all(latest.hi, latest.lo);
  } else {
    command_.add_all("-1"sv, "0"sv);
  }
  command_.add_all(work.hi, work.lo, scale.base(), scale.hi_us());
}

}  // namespace weir::redis
