// SPDX-License-Identifier: Apache-2.0
#include "redis/key_name.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "redis/slot.hpp"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;

std::string name(const Op& op, Time now = Time{}) {
  return std::string(key_name("w:", op, now).view());
}

TEST(KeyName, IsFourteenBytes) {
  const CompiledLimit bucket(token_bucket(1, 1s)), log(sliding_log(1, 1s));
  const Op op{.key = {.hi = 0x0807060504434241, .lo = 0},
              .subject = {.hi = 0, .lo = 0x0807066564636261},
              .limit = &bucket};
  EXPECT_EQ(name(op).size(), 14u);
  EXPECT_TRUE(name(op).starts_with("w:{abcde}ABC"));
  Op of_log = op;
  of_log.limit = &log;
  EXPECT_EQ(name(of_log), name(op) + "l");
}

TEST(KeyName, B34_AllKeysOfASubjectStandInOneSlotWhateverItsBytes) {
  const CompiledLimit bucket(token_bucket(1, 1s)), log(sliding_log(1, 1s)),
      window(fixed_window(1, 1s));
  for (const std::uint64_t lo :
       {0x7d7d7d7d7dull, 0x7b7b7b7b7bull, 0x7d7b7d7b7dull, 0x7b7d7b7d7bull, 0ull}) {
    std::set<std::uint16_t> slots;
    for (const auto* limit : {&bucket, &log, &window}) {
      for (const std::uint64_t hi : {0x7d7d7d7d7dull, 0x7b7d000000ull, 1ull}) {
        const Op op{.key = {.hi = hi, .lo = 0}, .subject = {.hi = 0, .lo = lo}, .limit = limit};
        slots.insert(slot_of(name(op)));
        slots.insert(slot_of(KeyName("w:", op.subject).view()));
      }
    }
    EXPECT_EQ(slots.size(), 1u);
  }
}

TEST(KeyName, EachWindowHasItsOwn) {
  const CompiledLimit window(fixed_window(1, 1s));
  const Op op{.key = {.hi = 7, .lo = 0}, .limit = &window};
  std::set<std::string> names;
  for (int second = 0; second < 300; ++second)
    names.insert(name(op, Time{std::chrono::seconds{second}}));
  EXPECT_EQ(names.size(), 300u);
  EXPECT_EQ(name(op, Time{999ms}), name(op, Time{}));
}

TEST(KeyName, TheLimitsOfAPackShareOneAndAreToldApartByTheirFields) {
  const CompiledLimit bucket(token_bucket(1, 1s)), window(fixed_window(1, 1s));
  SharedTerms terms{.share = bucket, .pack = {.hi = 5, .lo = 6}};
  const Op first{
      .key = {.hi = 1, .lo = 2}, .subject = {.hi = 3, .lo = 4}, .limit = &bucket, .shared = &terms};
  Op second = first;
  second.key = {.hi = 7, .lo = 8};
  second.limit = &window;
  EXPECT_EQ(name(first), name(second));
  EXPECT_NE(FieldName(first).view(), FieldName(second).view());
  Op of_another = first;
  of_another.subject.hi = 9;
  EXPECT_NE(name(first), name(of_another));
  terms.pack = {};
  EXPECT_TRUE(FieldName(first).empty());
  EXPECT_NE(name(first), name(second));
}

}  // namespace
}  // namespace weir::redis
