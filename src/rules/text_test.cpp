// SPDX-License-Identifier: Apache-2.0
#include "rules/text.hpp"

#include <gtest/gtest.h>

namespace weir::rules {
namespace {

TEST(Text, KnowsAsciiAndNothingElse) {
  EXPECT_EQ(lower_case("AbC-1\xc4"), "abc-1\xc4");
  EXPECT_TRUE(equals_ignoring_case("X-Api-Key", "x-aPI-kEY"));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_FALSE(equals_ignoring_case("[", "{")) << "apart by the bit that letters differ in";
}

TEST(Text, Tokens) {
  EXPECT_TRUE(is_token("GET"));
  EXPECT_TRUE(is_token("x-api_key.1~"));
  for (const auto* text : {"", "a b", "a:b", "a=b", "(a)", "\"a\"", "a/b", "\xc4"}) {
    EXPECT_FALSE(is_token(text)) << text;
  }
}

TEST(Text, Trims) {
  EXPECT_EQ(trimmed(" \t a b \t"), "a b");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed("\n a"), "\n a") << "a line break is no blank";
}

TEST(Text, CutsAtTheFirstSeparator) {
  std::string_view rest = "a,,b";
  EXPECT_EQ(cut_first(rest, ','), "a");
  EXPECT_EQ(cut_first(rest, ','), "");
  EXPECT_EQ(cut_first(rest, ','), "b");
  EXPECT_EQ(rest, "");
  EXPECT_EQ(cut_first(rest, ','), "");
}

}  // namespace
}  // namespace weir::rules
