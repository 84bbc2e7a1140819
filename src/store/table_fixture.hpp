// SPDX-License-Identifier: Apache-2.0
// A small language for the tests of the table: keys are numbers, time is said in each call.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "store/table.hpp"

namespace weir::store {

inline constexpr KeySecret test_secret{1, 2};

inline Key key_of(std::uint64_t number) {
  KeyBuilder builder(test_secret);
  builder.add(number);
  return builder.key();
}

inline Time at(Duration since) { return Time{std::chrono::hours{24 * 365 * 50}} + since; }

/// Applies ops that are one request; returns their outcomes.
inline std::vector<Outcome> apply(Store& store, Time now, std::vector<Op> ops) {
  std::vector<Outcome> outcomes(ops.size());
  StoreBatch batch;
  batch.now = now;
  batch.ops = ops;
  batch.outcomes = outcomes;
  store.apply(batch);
  return outcomes;
}

inline Outcome ask(Store& store, Time now, const CompiledLimit& limit, const Key& key,
                   std::uint64_t cost = 1, Verb verb = Verb::acquire) {
  return apply(store, now, {{.key = key, .limit = &limit, .cost = cost, .verb = verb}})[0];
}

/// `AAD`: one letter for each ask.
inline std::string verdicts(Store& store, Time now, const CompiledLimit& limit, const Key& key,
                            int count) {
  std::string letters;
  for (int i = 0; i < count; ++i) {
    letters += ask(store, now, limit, key).decision.allowed ? 'A' : 'D';
  }
  return letters;
}

}  // namespace weir::store
