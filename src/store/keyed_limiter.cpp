// SPDX-License-Identifier: Apache-2.0
// Several limits on one key: one request to a key table of its own.
#include <weir/keyed_limiter.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "base/key.hpp"
#include "store/strictest.hpp"
#include "store/table.hpp"

namespace weir {

namespace {

constexpr std::size_t most_limits = 16;

store::TableOptions table_options(std::span<const Limit> limits,
                                  const KeyedLimiterOptions& options) {
  const bool has_logs = std::any_of(limits.begin(), limits.end(), [](const Limit& limit) {
    return limit.algorithm() == Algorithm::sliding_log;
  });
  return {.memory_bytes = options.memory_bytes,
          .when_full = options.when_full,
          .log_percent = has_logs ? store::TableOptions::log_percent_with_logs
                                  : store::TableOptions::log_percent_without_logs};
}

}  // namespace

class KeyedLimiter::Impl {
 public:
  Impl(std::span<const Limit> limits, const KeyedLimiterOptions& options)
      : clock_(*options.clock),
        secret_(KeySecret::random()),
        table_(table_options(limits, options)) {
    if (limits.empty() || limits.size() > most_limits) {
      throw std::invalid_argument("keyed limiter: not 1 to 16 limits");
    }
    for (std::size_t at = 0; at < limits.size(); ++at) {
      const auto before = limits.first(at);
      if (std::find(before.begin(), before.end(), limits[at]) != before.end()) {
        throw std::invalid_argument("keyed limiter: the same limit twice");
      }
      const KeySecret salt = KeySecret::random();
      limits_.push_back({CompiledLimit(limits[at]), Key{.hi = salt.k0, .lo = salt.k1}});
    }
  }

  Decision decide(Verb verb, std::string_view text, std::uint64_t cost) noexcept {
    const Key key = sip_hash_128(secret_, text);
    std::array<Op, most_limits> ops;
    std::array<Outcome, most_limits> outcomes;
    for (std::size_t at = 0; at < limits_.size(); ++at) {
      const auto& [limit, salt] = limits_[at];
      ops[at] = {.key = {.hi = key.hi ^ salt.hi, .lo = key.lo ^ salt.lo},
                 .limit = &limit,
                 .cost = cost,
                 .verb = verb};
    }
    StoreBatch batch;
    batch.now = clock_.now();
    batch.ops = std::span(ops).first(limits_.size());
    batch.outcomes = std::span(outcomes).first(limits_.size());
    table_.apply(batch);
    return conclude(batch.outcomes);
  }

 private:
  /// A limit, and what tells its keys from those of the others.
  struct Salted {
    CompiledLimit limit;
    Key salt;
  };

  static Decision conclude(std::span<const Outcome> outcomes) noexcept {
    Decision strictest = outcomes[0].decision;
    Duration delay{};
    for (const auto& outcome : outcomes) {
      if (is_stricter(outcome.decision, strictest)) strictest = outcome.decision;
      delay = std::max(delay, outcome.decision.delay);
    }
    if (strictest.allowed) strictest.delay = delay;
    return strictest;
  }

  const Clock& clock_;
  const KeySecret secret_;
  store::Table table_;
  std::vector<Salted> limits_;
};

KeyedLimiter::KeyedLimiter(std::initializer_list<Limit> limits, const KeyedLimiterOptions& options)
    : KeyedLimiter(std::span(limits.begin(), limits.size()), options) {}

KeyedLimiter::KeyedLimiter(std::span<const Limit> limits, const KeyedLimiterOptions& options)
    : impl_(std::make_unique<Impl>(limits, options)) {}

KeyedLimiter::~KeyedLimiter() = default;
KeyedLimiter::KeyedLimiter(KeyedLimiter&&) noexcept = default;
KeyedLimiter& KeyedLimiter::operator=(KeyedLimiter&&) noexcept = default;

Decision KeyedLimiter::acquire(std::string_view key, std::uint64_t cost) {
  return impl_->decide(Verb::acquire, key, cost);
}

Decision KeyedLimiter::peek(std::string_view key, std::uint64_t cost) const {
  return impl_->decide(Verb::peek, key, cost);
}

Decision KeyedLimiter::debit(std::string_view key, std::uint64_t cost) {
  return impl_->decide(Verb::debit, key, cost);
}

Decision KeyedLimiter::refund(std::string_view key, std::uint64_t cost) {
  return impl_->decide(Verb::refund, key, cost);
}

}  // namespace weir
