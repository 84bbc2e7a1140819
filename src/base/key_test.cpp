// SPDX-License-Identifier: Apache-2.0
#include "base/key.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace weir {
namespace {

constexpr KeySecret secret{0x0706050403020100u, 0x0f0e0d0c0b0a0908u};

Key key_of(std::initializer_list<std::string_view> parts) {
  KeyBuilder builder(secret);
  for (const auto part : parts) builder.add(part);
  return builder.key();
}

TEST(Key, TellsListsOfPartsApart) {
  EXPECT_EQ(key_of({"a", "bc"}), key_of({"a", "bc"}));
  EXPECT_NE(key_of({"a", "bc"}), key_of({"ab", "c"}));
  EXPECT_NE(key_of({"abc"}), key_of({"a", "bc"}));
  EXPECT_NE(key_of({""}), key_of({}));
  EXPECT_NE(key_of({"", "a"}), key_of({"a", ""}));
}

TEST(Key, DependsOnTheSecret) {
  EXPECT_NE(sip_hash_128({1, 2}, "key"), sip_hash_128({1, 3}, "key"));
  EXPECT_NE(sip_hash_128({1, 2}, "key"), sip_hash_128({2, 2}, "key"));
  EXPECT_NE(KeySecret::random(), KeySecret::random());
}

TEST(Key, PartsOfAnyLengthAreKeptApart) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (std::size_t length = 0; length < 2000; ++length) {
    const Key key = key_of({std::string(length, 'x')});
    EXPECT_TRUE(seen.emplace(key.hi, key.lo).second) << length;
  }
}

TEST(Key, AnyNumberOfPartsIsKeptApart) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  KeyBuilder builder(secret);
  for (int count = 0; count < 500; ++count) {
    const Key key = builder.key();
    EXPECT_TRUE(seen.emplace(key.hi, key.lo).second) << count;
    builder.add("part");
  }
}

TEST(Key, APartWithoutBytesIsAnEmptyPart) {
  KeyBuilder none(secret), empty(secret);
  none.add(std::string_view());
  empty.add(std::string_view(""));
  EXPECT_EQ(none.key(), empty.key());
  EXPECT_NE(none.key(), KeyBuilder(secret).key());
}

TEST(Key, PartsAreHashedBehindTheirKindsAndLengths) {
  KeyBuilder builder(secret);
  builder.add("nine byte");
  builder.add(std::uint64_t{0x0807060504030201u});
  builder.add(Key{.hi = 1, .lo = 2});
  builder.add("rest");
  using namespace std::string_view_literals;
  EXPECT_EQ(builder.key(), sip_hash_128(secret,
                                        "\1\11\0\0\0\0\0\0nine byte\0\0\0\0\0\0\0"
                                        "\2\10\0\0\0\0\0\0\1\2\3\4\5\6\7\10"
                                        "\3\20\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"
                                        "\1\4\0\0\0\0\0\0rest"sv));
}

TEST(Key, AClearedBuilderStartsOver) {
  KeyBuilder builder(secret);
  builder.add("before");
  builder.clear();
  builder.add("a");
  EXPECT_EQ(builder.key(), key_of({"a"}));
}

TEST(Key, KindsOfPartAreKeptApart) {
  KeyBuilder text(secret), number(secret);
  text.add(std::string_view("\x01\0\0\0\0\0\0\0", 8));
  number.add(std::uint64_t{1});
  EXPECT_NE(text.key(), number.key());
}

}  // namespace
}  // namespace weir
