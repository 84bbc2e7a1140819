// SPDX-License-Identifier: Apache-2.0
// Limits as people write them, and what they are told where that can't be read.
#include "limit/text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <string>

namespace weir {
namespace {

using namespace std::chrono_literals;

std::string error_of(std::string_view text) {
  const Result<Limit> limit = Limit::parse(text);
  return limit ? "read as " + limit->to_string() : limit.error();
}

std::string rate_error(std::string_view text) {
  const Result<Rate> rate = parse_rate(text);
  return rate ? "read" : rate.error();
}

std::string duration_error(std::string_view text) {
  const Result<Duration> duration = parse_duration(text);
  return duration ? "read" : duration.error();
}

TEST(Text, LimitsAreRead) {
  EXPECT_EQ(*Limit::parse("10/s"), token_bucket(10, 1s));
  EXPECT_EQ(*Limit::parse("10/s burst 50"), token_bucket(10, 1s).with_burst(50));
  EXPECT_EQ(*Limit::parse("5/15min sliding_log"), sliding_log(5, 15min));
  EXPECT_EQ(*Limit::parse("10/s burst 2 leaky_queue"), leaky_queue(10, 1s).with_burst(2));
  EXPECT_EQ(*Limit::parse("10/s leaky_queue burst 2"), leaky_queue(10, 1s).with_burst(2));
  EXPECT_EQ(*Limit::parse("  10/s\tburst  50 "), token_bucket(10, 1s).with_burst(50));
  EXPECT_EQ(*Limit::parse("10/s gcra"), token_bucket(10, 1s));
  EXPECT_EQ(*Limit::parse("10/s leaky_bucket"), token_bucket(10, 1s));
  EXPECT_EQ(*Limit::parse("0/s burst 1"), token_bucket(0, 1s).with_burst(1));
  EXPECT_EQ(*Limit::parse("0/60s fixed_window"), fixed_window(0, 60s));
}

TEST(Text, RatesAreRead) {
  struct Row {
    std::string_view text;
    Rate rate;
  };
  for (const Row& row : std::initializer_list<Row>{{"10/s", {10, 1s}},
                                                   {"10/1s", {10, 1s}},
                                                   {"100/15min", {100, 15min}},
                                                   {"10/60s", {10, 60s}},
                                                   {"5000/day", {5000, 24h}},
                                                   {"1/250ms", {1, 250ms}},
                                                   {"1/2h", {1, 2h}},
                                                   {"1/2week", {1, 24h * 14}},
                                                   {"1/month", {1, 24h * 30}},
                                                   {"1/year", {1, 24h * 365}},
                                                   {"1/365day", {1, 24h * 365}},
                                                   {"1000000000/ms", {1'000'000'000, 1ms}},
                                                   {"0/s", {0, 1s}},
                                                   {"1/1500us", {1, 1500us}},
                                                   {"1/1000001ns", {1, 1'000'001ns}}}) {
    const Result<Rate> rate = parse_rate(row.text);
    ASSERT_TRUE(rate.ok()) << row.text << ": " << rate.error();
    EXPECT_EQ(*rate, row.rate) << row.text;
  }
}

TEST(Text, AnUnknownUnitIsAnsweredByTheOneThatWasMeant) {
  EXPECT_EQ(rate_error("10/sec"), "'10/sec': unknown unit 'sec'; did you mean 's'?");
  EXPECT_EQ(rate_error("10/60seconds"),
            "'10/60seconds': unknown unit 'seconds'; did you mean 's'?");
  EXPECT_EQ(rate_error("10/m"), "'10/m': unknown unit 'm'; did you mean 'min'?");
  EXPECT_EQ(rate_error("10/Hour"), "'10/Hour': unknown unit 'Hour'; did you mean 'h'?");
  EXPECT_EQ(rate_error("10/S"), "'10/S': unknown unit 'S'; did you mean 's'?");
  EXPECT_EQ(rate_error("10/dya"), "'10/dya': unknown unit 'dya'; did you mean 'day'?");
  EXPECT_EQ(rate_error("10/fortnight"),
            "'10/fortnight': unknown unit 'fortnight'; "
            "units are ms, s, min, h, day, week, month, year");
}

TEST(Text, ARateOfAFractionIsAnsweredByTheWholeOne) {
  EXPECT_EQ(rate_error("2.5/s"), "'2.5/s': count: '2.5' is not a whole number; write '5/2s'");
  EXPECT_EQ(rate_error("0.1/min"),
            "'0.1/min': count: '0.1' is not a whole number; write '1/10min'");
  EXPECT_EQ(rate_error("3.0/s"), "'3.0/s': count: '3.0' is not a whole number; write '3/s'");
  EXPECT_EQ(rate_error("1.5/15min"),
            "'1.5/15min': count: '1.5' is not a whole number; write '3/30min'");
  EXPECT_EQ(rate_error("0.5/year"), "'0.5/year': count: '0.5' is not a whole number");
  EXPECT_EQ(rate_error("10/1.5h"), "'10/1.5h': '1.5' is not a whole number; write '90min'");
  EXPECT_EQ(rate_error("10/0.1ns"), "'10/0.1ns': '0.1' is not a whole number");
  EXPECT_EQ(rate_error("10/1..5h"), "'10/1..5h': '1..5' is not a whole number");
}

TEST(Text, B42_NegativeCountsAreRefused) {
  EXPECT_EQ(rate_error("-1/s"),
            "'-1/s': count: '-1' is negative; the least is 0, which admits nothing");
  EXPECT_EQ(error_of("10/s burst -1"), "'10/s burst -1': burst: '-1' is negative; the least is 1");
}

TEST(Text, B11_WhatIsTooLargeIsRefusedByName) {
  for (const std::string_view count :
       {"1000000001", "2147483648", "4294967296", "1000000000000000000", "9223372036854775807",
        "99999999999999999999999"}) {
    const std::string text = std::string(count) + "/s";
    EXPECT_EQ(rate_error(text),
              "'" + text + "': count: '" + std::string(count) + "' is above 1000000000");
  }
  EXPECT_EQ(error_of("10/s burst 1000000001"),
            "'10/s burst 1000000001': burst: '1000000001' is above 1000000000");
  EXPECT_EQ(rate_error("1/2year"), "'1/2year': '2year' is above the longest period, 365 days");
  EXPECT_EQ(
      rate_error("1/99999999999999999999s"),
      "'1/99999999999999999999s': '99999999999999999999s' is above the longest period, 365 days");
}

TEST(Text, B59_DegenerateParametersAreRefusedByName) {
  EXPECT_EQ(rate_error("10/0s"), "'10/0s': period: '0s' is under 1ms");
  EXPECT_EQ(rate_error("10/1ns"), "'10/1ns': period: '1ns' is under 1ms");
  EXPECT_EQ(error_of("10/s burst 0"), "'10/s burst 0': burst: the least is 1");
  EXPECT_EQ(error_of("10/s burst 5 fixed_window"),
            "'10/s burst 5 fixed_window': burst: a fixed_window has none; "
            "it belongs to token_bucket and leaky_queue");
}

TEST(Text, MalformedRatesAreExplained) {
  EXPECT_EQ(rate_error("10"), "'10': the period is missing; a rate is COUNT/PERIOD, such as 10/s");
  EXPECT_EQ(rate_error("10/"),
            "'10/': the period is missing; a rate is COUNT/PERIOD, such as 10/s");
  EXPECT_EQ(rate_error("/s"), "'/s': count: a whole number is missing");
  EXPECT_EQ(rate_error("10/60"), "'10/60': a unit is missing; write '60s'");
  EXPECT_EQ(rate_error("1,000/s"), "'1,000/s': count: '1,000' is not a whole number; write '1000'");
  EXPECT_EQ(rate_error("1_000/s"), "'1_000/s': count: '1_000' is not a whole number; write '1000'");
  EXPECT_EQ(rate_error("+1/s"), "'+1/s': count: '+1' is not a whole number");
  EXPECT_EQ(rate_error("1e3/s"), "'1e3/s': count: '1e3' is not a whole number");
  EXPECT_EQ(rate_error("ten/s"), "'ten/s': count: 'ten' is not a whole number");
  EXPECT_EQ(rate_error("10/-1s"),
            "'10/-1s': unknown unit '-1s'; "
            "units are ms, s, min, h, day, week, month, year");
}

TEST(Text, MalformedLimitsAreExplained) {
  EXPECT_EQ(error_of(""), "'': a limit is COUNT/PERIOD, such as 10/s");
  EXPECT_EQ(error_of("10/s burst"), "'10/s burst': burst: a whole number is missing");
  EXPECT_EQ(error_of("10/s burst 1 burst 2"), "'10/s burst 1 burst 2': a second burst");
  EXPECT_EQ(error_of("10/s gcra sliding_log"),
            "'10/s gcra sliding_log': a second algorithm, 'sliding_log'");
  EXPECT_EQ(error_of("10/s bursts 5"),
            "'10/s bursts 5': unknown word 'bursts'; did you mean 'burst'?");
  EXPECT_EQ(error_of("10/s token-bucket"),
            "'10/s token-bucket': unknown word 'token-bucket'; did you mean 'token_bucket'?");
  EXPECT_EQ(error_of("10/s 50"), "'10/s 50': unknown word '50'");
  EXPECT_EQ(error_of("10 / s"),
            "'10': the period is missing; a rate is COUNT/PERIOD, such as 10/s");
}

TEST(Text, AlgorithmsAreReadAndSuggested) {
  EXPECT_EQ(*parse_algorithm("gcra"), Algorithm::token_bucket);
  EXPECT_EQ(*parse_algorithm("sliding_counter"), Algorithm::sliding_counter);
  EXPECT_EQ(parse_algorithm("Fixed-Window").error(),
            "unknown algorithm 'Fixed-Window'; did you mean 'fixed_window'?");
  EXPECT_EQ(parse_algorithm("").error(),
            "unknown algorithm ''; algorithms are token_bucket, leaky_queue, fixed_window, "
            "sliding_log, sliding_counter");
}

TEST(Text, BurstsAreRead) {
  EXPECT_EQ(*parse_burst("50"), 50u);
  EXPECT_EQ(parse_burst("0").error(), "burst: the least is 1");
  EXPECT_EQ(parse_burst("1.5").error(), "burst: '1.5' is not a whole number");
}

TEST(Text, DurationsAreRead) {
  EXPECT_EQ(*parse_duration("10s"), 10s);
  EXPECT_EQ(*parse_duration("250ms"), 250ms);
  EXPECT_EQ(*parse_duration("0s"), 0s);
  EXPECT_EQ(*parse_duration("365day"), Limit::longest_period);
  EXPECT_EQ(duration_error("s"), "'s': a duration is a number and a unit, such as 10s or 250ms");
  EXPECT_EQ(duration_error("10"), "'10': a unit is missing; write '10s'");
  EXPECT_EQ(duration_error("10sec"), "'10sec': unknown unit 'sec'; did you mean 's'?");
  EXPECT_EQ(duration_error("1.5s"), "'1.5s': '1.5' is not a whole number; write '1500ms'");
  EXPECT_EQ(duration_error("366day"), "'366day': '366day' is above the longest period, 365 days");
  EXPECT_EQ(duration_error("-1s"),
            "'-1s': a duration is a number and a unit, such as 10s or 250ms");
}

TEST(Text, SuggestionsAreNear) {
  constexpr std::array<std::string_view, 3> names{"listen", "limits", "rules"};
  EXPECT_EQ(did_you_mean("limit", names), "; did you mean 'limits'?");
  EXPECT_EQ(did_you_mean("Rules", names), "; did you mean 'rules'?");
  EXPECT_EQ(did_you_mean("store", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
  EXPECT_EQ(did_you_mean(std::string(100'000, 'l'), names), "");
}

TEST(Text, MessagesQuoteLongTextsCut) {
  EXPECT_LT(error_of(std::string(1'000'000, 'x')).size(), 200u);
  EXPECT_LT(error_of("10/" + std::string(1'000'000, '1')).size(), 300u);
  EXPECT_LT(error_of(std::string(1'000'000, '1') + "/s").size(), 300u);
}

TEST(Text, AnyTextIsReadOrExplained) {
  const std::string alphabet = "0123456789/.-, smhdayburstgcre_\n\t\xff";
  const bool holds = rc::check([&] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(alphabet));
    const Result<Limit> limit = Limit::parse(text);
    if (!limit) {
      RC_ASSERT(!limit.error().empty());
      return;
    }
    RC_ASSERT(*Limit::parse(limit->to_string()) == *limit);
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace weir
