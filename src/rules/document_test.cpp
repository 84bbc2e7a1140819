// SPDX-License-Identifier: Apache-2.0
#include "rules/document.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace weir::rules {
namespace {

/// The first problem of a text; empty where it is read.
std::string fault(std::string_view text) {
  Problems problems("f");
  const auto document = Document::parse(text, problems);
  EXPECT_TRUE(document || problems.error_count() > 0);
  const auto all = problems.take();
  return all.empty() ? "" : all.front().to_string();
}

/// The tree with the place of each node.
std::string tree(const Node& node) {
  const auto place = fmt::format("{}:{}", node.line, node.column);
  std::string text;
  switch (node.kind) {
    case Node::Kind::null: return place + "~";
    case Node::Kind::scalar: return place + "'" + node.text + "'";
    case Node::Kind::list:
      for (const auto* item : node.items) text += " " + tree(*item);
      return place + "[" + text + " ]";
    case Node::Kind::map:
      for (const auto& [key, value] : node.entries) text += " " + tree(*key) + "=" + tree(*value);
      return place + "{" + text + " }";
  }
  return text;
}

std::string tree(std::string_view text) {
  Problems problems("f");
  const auto document = Document::parse(text, problems);
  return document ? tree(document->root()) : "none";
}

TEST(Document, KnowsThePlaceOfEveryNode) {
  EXPECT_EQ(tree("a: 1\nb:\n  - x\n  - {c: \"d\", e: }\n"),
            "1:1{ 1:1'a'=1:4'1' 2:1'b'=3:3[ 3:5'x' 4:5{ 4:6'c'=4:9'd' 4:14'e'=4:17~ } ] }");
  EXPECT_EQ(tree("text"), "1:1'text'");
}

TEST(Document, KeepsAKeyThatStandsTwice) {
  EXPECT_EQ(tree("{a: 1, a: 2}"), "1:1{ 1:2'a'=1:5'1' 1:8'a'=1:11'2' }");
}

TEST(Document, AnAliasIsTheNodeThatItNames) {
  EXPECT_EQ(tree("a: &x {b: 1}\nc: *x\n"),
            "1:1{ 1:1'a'=1:4{ 1:8'b'=1:11'1' } 2:1'c'=1:4{ 1:8'b'=1:11'1' } }");
  EXPECT_EQ(fault("a: &x [*x]\n"), "f:1:8: an alias inside of what it names");
  EXPECT_EQ(fault("a: *x\n"),
            "f:1:4: an alias of nothing; a text that begins with '*' must be quoted");
}

TEST(Document, AliasesDoNotBlowUp) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format(
        "a{0}: &a{0} [*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1}]\n", i, i - 1);
  }
  EXPECT_EQ(fault(bomb), "f:6:22: more than 500000 values (aliases followed)");
}

TEST(Document, IsBounded) {
  EXPECT_EQ(fault(std::string(Document::most_bytes + 1, ' ')),
            "f: 4194305 bytes; a configuration has at most 4194304");
  EXPECT_EQ(fault("a: " + std::string(32, '[') + std::string(32, ']')),
            "f:1:35: nested more than 32 levels deep");
  EXPECT_EQ(fault("a: " + std::string(31, '[') + std::string(31, ']')), "");
  EXPECT_EQ(fault(std::string(100'000, '[')), "f: more than 1000 brackets are open at once");
  std::string dashes;
  for (int i = 0; i < 1000; ++i) dashes += "- ";
  EXPECT_EQ(fault(dashes), "f:1:65: nested more than 32 levels deep");
}

TEST(Document, TabsAreErrorsWhereTheyAreNoComment) {
  EXPECT_NE(fault("a:\n\tb: 1\n"), "");
  EXPECT_NE(fault("a:\tb\n"), "");
  EXPECT_NE(fault("a: b\t# c\n"), "");
  EXPECT_NE(fault("a: \"#\tb\"\n"), "");
  EXPECT_EQ(fault("a: b #\tc\n"), "");
  EXPECT_EQ(fault("#\tc\na: b\n"), "");
  EXPECT_NE(fault("a: b\n\t\n"), "") << "the parser minds";
}

TEST(Document, AfterATabInsideALineTheRestIsReadToo) {
  Problems problems("f");
  EXPECT_TRUE(Document::parse("a:\tb\n", problems));
  EXPECT_FALSE(Document::parse("a:\n\tb: c\n", problems)) << "nobody knows how wide that is";
}

TEST(Document, QuotesAreClosed) {
  EXPECT_EQ(fault("a: \"b\n"), "f:1:4: a quote is never closed");
  EXPECT_EQ(fault("a: 'b\n"), "f:1:4: a quote is never closed");
  EXPECT_EQ(fault("a: \"b\\\"\n"), "f:1:4: a quote is never closed");
  EXPECT_EQ(fault("a: 'it''s'\n"), "");
  EXPECT_EQ(fault("a: \"b\"\nc: d\n"), "");
}

TEST(Document, ClosedQuotesAreSeenWhateverStandsBefore) {
  for (const std::string before : {"", "\xef\xbb\xbf", "# ä\n", "# €€€€\r\n", "# 😀\r\n\r\n"}) {
    EXPECT_EQ(fault(before + "a: \"b\""), "") << before;
    EXPECT_EQ(fault(before + "ä: {\"€\": 'ä', b: \"\\\"\"}\r\n"), "") << before;
    EXPECT_NE(fault(before + "a: \"b\r\n"), "") << before;
  }
}

TEST(Document, IsTextInUtf8) {
  EXPECT_EQ(fault("a: b\nc: \xff\n"), "f:2:4: the byte 0xff; a configuration is text in UTF-8");
  EXPECT_EQ(fault(std::string_view("a: \0", 4)),
            "f:1:4: the byte 0x00; a configuration is text in UTF-8");
  EXPECT_EQ(fault("\xff\xfe"
                  "a"),
            "f:1:1: the byte 0xff; a configuration is text in UTF-8");
  EXPECT_EQ(tree("\xef\xbb\xbf"
                 "a: ä"),
            "1:1{ 1:1'a'=1:4'ä' }");
}

TEST(Document, WhatIsNoPlainConfigurationIsRefused) {
  EXPECT_EQ(fault(""), fault("# nothing\n"));
  EXPECT_NE(fault("").find("the file is empty"), std::string::npos);
  EXPECT_NE(fault("~").find("the file is empty"), std::string::npos);
  EXPECT_EQ(fault("a: 1\n---\nb: 1\n"),
            "f:2:1: a second document; a configuration is one document");
  EXPECT_EQ(fault("? [a]\n: b\n"), "f:1:3: a key that is no plain text");
  EXPECT_EQ(fault("a: !!int 1\n"),
            "f:1:4: the tag 'tag:yaml.org,2002:int'; a configuration has no use for tags");
  EXPECT_EQ(fault("---\na: 1\n"), "");
}

TEST(Printable, EscapesWhatIsNoText) {
  EXPECT_EQ(printable("größe 😀"), "größe 😀");
  EXPECT_EQ(printable(std::string_view("a\0\n\x7f", 4)), "a\\x00\\x0a\\x7f");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82") << "cut";
  EXPECT_EQ(shown(std::string(80, 'a')).size(), 80u);
  EXPECT_EQ(shown(std::string(81, 'a')), std::string(80, 'a') + "...");
}

TEST(Problem, IsToldWithItsPlace) {
  EXPECT_EQ((Problem{"weir.yaml", 14, 9, "rules[2].limits[0].rate", "wrong", false}.to_string()),
            "weir.yaml:14:9: rules[2].limits[0].rate: wrong");
  EXPECT_EQ((Problem{"weir.yaml", 14, 9, "rules[2]", "odd", true}.to_string()),
            "weir.yaml:14:9: warning: rules[2]: odd");
  EXPECT_EQ((Problem{"weir.yaml", 0, 0, "", "wrong", false}.to_string()), "weir.yaml: wrong");
}

}  // namespace
}  // namespace weir::rules
