// SPDX-License-Identifier: Apache-2.0
// Limits as values: what can be made, at compile time too, and the one spelling that each has.
#include <weir/limit.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>
#include <string>

#include <weir/decision.hpp>

#include "limit/random_history.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

// Whether a call of `make` is a constant expression: what throws is none, and fails to compile.
template <auto make>
concept Compiles = requires {
  typename std::bool_constant<(static_cast<void>(make()), true)>;
};

static_assert(Compiles<[] { return token_bucket(10, 1s).with_burst(50); }>);
static_assert(Compiles<[] { return sliding_log(Limit::most_units, Limit::longest_period); }>);
static_assert(Compiles<[] { return fixed_window(0, Limit::shortest_period); }>);
static_assert(Compiles<[] { return token_bucket(0, 1s).with_burst(1); }>);

static_assert(!Compiles<[] { return token_bucket(Limit::most_units + 1, 1s); }>);
static_assert(!Compiles<[] { return token_bucket(10, 0s); }>, "B59: a period of 0");
static_assert(!Compiles<[] { return token_bucket(10, -1s); }>);
static_assert(!Compiles<[] { return token_bucket(10, 1ns); }>, "B59: a period of 1 ns");
static_assert(!Compiles<[] { return token_bucket(10, Limit::longest_period + 1ns); }>);
static_assert(!Compiles<[] { return token_bucket(10, 1s).with_burst(0); }>, "B59: a burst of 0");
static_assert(!Compiles<[] { return token_bucket(10, 1s).with_burst(Limit::most_units + 1); }>);
static_assert(!Compiles<[] { return fixed_window(10, 1s).with_burst(10); }>);
static_assert(!Compiles<[] { return sliding_counter(10, 1s).with_burst(10); }>);

constexpr Limit api = token_bucket(10, 1s).with_burst(50);
static_assert(api.algorithm() == Algorithm::token_bucket);
static_assert(api.count() == 10 && api.period() == 1s && api.capacity() == 50 && api.has_burst());
static_assert(sliding_log(5, 15min).capacity() == 5 && !sliding_log(5, 15min).has_burst());
static_assert(leaky_queue(0, 1s).capacity() == 0);
static_assert(api == token_bucket(10, 1000ms).with_burst(50) && api != token_bucket(10, 1s));

TEST(Limit, B59_DegenerateParametersAreRefusedByName) {
  const auto reason = [](auto make) -> std::string {
    try {
      static_cast<void>(make());
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(reason([] { return token_bucket(10, 0s); }), "limit: period under 1ms");
  EXPECT_EQ(reason([] { return token_bucket(10, 366 * 24h); }), "limit: period above 365 days");
  EXPECT_EQ(reason([] { return token_bucket(1'000'000'001, 1s); }),
            "limit: count above 1000000000");
  EXPECT_EQ(reason([] { return token_bucket(1, 1s).with_burst(0); }),
            "limit: burst not within 1 to 1000000000");
  EXPECT_EQ(reason([] { return sliding_log(1, 1s).with_burst(1); }),
            "limit: a window has no burst");
}

TEST(Limit, HasOneSpelling) {
  EXPECT_EQ(api.to_string(), "10/s burst 50");
  EXPECT_EQ(token_bucket(10, 60s).to_string(), "10/min");
  EXPECT_EQ(sliding_log(5, 900s).to_string(), "5/15min sliding_log");
  EXPECT_EQ(leaky_queue(1, 250ms).with_burst(3).to_string(), "1/250ms burst 3 leaky_queue");
  EXPECT_EQ(fixed_window(5000, 24h).to_string(), "5000/day fixed_window");
  EXPECT_EQ(sliding_counter(1, 24h * 7).to_string(), "1/week sliding_counter");
  EXPECT_EQ(token_bucket(1, 24h * 30).to_string(), "1/month");
  EXPECT_EQ(token_bucket(1, 24h * 365).to_string(), "1/year");
  EXPECT_EQ(token_bucket(1, 36h).to_string(), "1/36h");
  EXPECT_EQ(token_bucket(1, 1'000'001ns).to_string(), "1/1000001ns");
  EXPECT_EQ(token_bucket(0, 1s).with_burst(1).to_string(), "0/s burst 1");
  EXPECT_EQ(token_bucket(0, 1s).to_string(), "0/s");
}

TEST(Limit, ItsSpellingIsReadBack) {
  const bool holds = rc::check([] {
    const Limit limit = random_limit(*rc::gen::elementOf(
        std::vector<Algorithm>(std::begin(all_algorithms), std::end(all_algorithms))));
    const Result<Limit> read = Limit::parse(limit.to_string());
    RC_ASSERT(read.ok());
    RC_ASSERT(*read == limit);
    RC_ASSERT(read->to_string() == limit.to_string());
  });
  EXPECT_TRUE(holds);
}

TEST(Limit, AlgorithmsAndAuthoritiesHaveNames) {
  EXPECT_EQ(to_string(Algorithm::token_bucket), "token_bucket");
  EXPECT_EQ(to_string(Algorithm::leaky_queue), "leaky_queue");
  EXPECT_EQ(to_string(Algorithm::fixed_window), "fixed_window");
  EXPECT_EQ(to_string(Algorithm::sliding_log), "sliding_log");
  EXPECT_EQ(to_string(Algorithm::sliding_counter), "sliding_counter");
  EXPECT_EQ(to_string(Authority::local), "local");
  EXPECT_EQ(to_string(Authority::shared), "shared");
  EXPECT_EQ(to_string(Authority::lease), "lease");
  EXPECT_EQ(to_string(Authority::fallback), "fallback");
}

}  // namespace
}  // namespace weir
