// SPDX-License-Identifier: Apache-2.0
#include "front/http/json_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace weir::front {
namespace {

using testing::HasSubstr;

/// The tree as text, so that a test says in one line what it should be.
std::string drawn(const JsonNode& node) {
  switch (node.kind) {
    case JsonNode::Kind::null: return "null";
    case JsonNode::Kind::boolean: return node.number == 1 ? "true" : "false";
    case JsonNode::Kind::whole: return std::to_string(node.number);
    case JsonNode::Kind::other_number: return "#";
    case JsonNode::Kind::string: return "'" + std::string(node.text) + "'";
    case JsonNode::Kind::key: return std::string(node.text) + "=";
    case JsonNode::Kind::array:
    case JsonNode::Kind::object: break;
  }
  const bool array = node.kind == JsonNode::Kind::array;
  std::string text = array ? "[" : "{";
  for (const auto& child : JsonChildren(node)) text += drawn(child) + " ";
  return text + (array ? "]" : "}");
}

std::string parsed(const std::string& document) {
  JsonTree tree;
  if (!tree.parse(document)) return "error: " + tree.error();
  return drawn(tree.root());
}

TEST(JsonTree, EveryKindOfValue) {
  EXPECT_EQ(parsed(R"({"a": [1, "x", null, true, false], "b": {}, "c": -1, "d": 1.5})"),
            "{a= [1 'x' null true false ] b= {} c= # d= # }");
  EXPECT_EQ(parsed(" [] "), "[]");
  EXPECT_EQ(parsed("7"), "7");
}

TEST(JsonTree, NumbersThatAreWholeUpToTheLast) {
  EXPECT_EQ(parsed("[0, -0, 18446744073709551615]"), "[0 0 18446744073709551615 ]");
  EXPECT_EQ(parsed("[18446744073709551616, 1e3, 1.0, -9223372036854775808]"), "[# # # # ]");
}

TEST(JsonTree, RepeatedKeysAreKept) { EXPECT_EQ(parsed(R"({"a": 1, "a": 2})"), "{a= 1 a= 2 }"); }

TEST(JsonTree, TextWithEscapes) {
  EXPECT_EQ(parsed(R"(["a\"b", "\u0041bc", "x\ty", "plain", "", "\ud83d\ude00"])"),
            "['a\"b' 'Abc' 'x\ty' 'plain' '' '\xF0\x9F\x98\x80' ]");
  EXPECT_EQ(parsed(R"({"k\u0065y": 1})"), "{key= 1 }");
}

TEST(JsonTree, WhatWasReadBeforeLeavesNoTrace) {
  JsonTree tree;
  EXPECT_FALSE(tree.parse(R"(["half\n)"));
  EXPECT_FALSE(tree.parse(R"({"a":)"));
  ASSERT_TRUE(tree.parse(R"(["\n"])"));
  EXPECT_EQ(drawn(tree.root()), "['\n' ]");
}

TEST(JsonTree, WhatIsNoJsonIsToldWithItsPlace) {
  for (const auto* bad : {"", "{", "[1,]", "{'a': 1}", "nul", "[1] x", "\"\x01\"", "[NaN]",
                          "{\"a\" 1}", "// c\n1", "\"\xFF\""}) {
    EXPECT_THAT(parsed(bad), HasSubstr("error: ")) << bad;
    EXPECT_THAT(parsed(bad), HasSubstr(" at byte ")) << bad;
  }
}

TEST(JsonTree, SizesAreBounded) {
  EXPECT_EQ(parsed(std::string(16, '[') + std::string(16, ']')).substr(0, 1), "[");
  EXPECT_THAT(parsed(std::string(17, '[') + std::string(17, ']')), HasSubstr("deeper than 16"));
  EXPECT_THAT(parsed(std::string(100'000, '[')), HasSubstr("deeper than 16"));
  std::string many = "[";
  for (int i = 0; i < 99'998; ++i) many += "1,";
  EXPECT_EQ(parsed(many + "1]").substr(0, 2), "[1");
  EXPECT_THAT(parsed(many + "1,1]"), HasSubstr("more than 100000 values"));
}

}  // namespace
}  // namespace weir::front
