// SPDX-License-Identifier: Apache-2.0
// Commands as a person types them: words, quotes and what they may hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>
#include <string>
#include <vector>

#include "wire/resp.hpp"

namespace weir::wire::resp {
namespace {

using Words = std::vector<std::string>;
using Status = Parsed::Status;
using testing::ElementsAre;
using testing::IsEmpty;

struct Typed {
  Status status;
  Words words;
  std::string text;
  std::size_t bytes;
};

Typed type(std::string_view input) {
  const auto arguments = std::make_unique<Arguments>();
  const auto parsed = parse_request(input, *arguments);
  return {.status = parsed.status,
          .words = {arguments->all().begin(), arguments->all().end()},
          .text = std::string(parsed.text),
          .bytes = parsed.bytes};
}

/// The words of a line that is one request.
Words words(std::string_view line) {
  const auto typed = type(line);
  EXPECT_EQ(typed.status, Status::request) << typed.text;
  EXPECT_EQ(typed.bytes, line.size());
  return typed.words;
}

TEST(RespInline, WordsStandBetweenSpaces) {
  EXPECT_THAT(words("PING\r\n"), ElementsAre("PING"));
  EXPECT_THAT(words("  PING \t hello  \n"), ElementsAre("PING", "hello"));
  EXPECT_THAT(words("CL.THROTTLE k 15 30 60\r\n"),
              ElementsAre("CL.THROTTLE", "k", "15", "30", "60"));
}

TEST(RespInline, AnEmptyLineSaysNothing) {
  EXPECT_THAT(words("\r\n"), IsEmpty());
  EXPECT_THAT(words("\n"), IsEmpty());
  EXPECT_THAT(words(" \t \r\n"), IsEmpty());
}

TEST(RespInline, OnlyTheFirstLineIsTaken) {
  const auto typed = type("a b\r\nc d\r\n");
  EXPECT_THAT(typed.words, ElementsAre("a", "b"));
  EXPECT_EQ(typed.bytes, 5u);
}

TEST(RespInline, ACarriageReturnInsideALineIsASpace) {
  EXPECT_THAT(words("a\rb\r\n"), ElementsAre("a", "b"));
}

TEST(RespInline, QuotesKeepSpaces) {
  EXPECT_THAT(words("a \"b c\" d\r\n"), ElementsAre("a", "b c", "d"));
  EXPECT_THAT(words("a 'b c' d\r\n"), ElementsAre("a", "b c", "d"));
  EXPECT_THAT(words("\"\" ''\r\n"), ElementsAre("", ""));
  EXPECT_THAT(words("'one' \"two\" three 'four'\n"), ElementsAre("one", "two", "three", "four"));
}

TEST(RespInline, QuotesKeepTheOtherKind) {
  EXPECT_THAT(words("\"it's\" 'say \"so\"'\n"), ElementsAre("it's", "say \"so\""));
}

TEST(RespInline, AQuoteMayOpenInsideAWord) {
  EXPECT_THAT(words("a\"b c\" d\n"), ElementsAre("ab c", "d"));
  EXPECT_THAT(words("key='x y'\n"), ElementsAre("key=x y"));
}

TEST(RespInline, EscapesInDoubleQuotes) {
  EXPECT_THAT(words(R"("\n\r\t\b\a\\\"")"
                    "\r\n"),
              ElementsAre("\n\r\t\b\a\\\""));
  EXPECT_THAT(words(R"("\x41\x6a\xFF\x00")"
                    "\r\n"),
              ElementsAre(std::string("Aj\xff\0", 4)));
  EXPECT_THAT(words(R"("\q\x4\xzz\x")"
                    "\r\n"),
              ElementsAre("qx4xzzx"));
}

TEST(RespInline, OneEscapeInSingleQuotes) {
  EXPECT_THAT(words(R"('a\'b\n\\x')"
                    "\r\n"),
              ElementsAre(R"(a'b\n\\x)"));
}

TEST(RespInline, QuotesThatDoNotClose) {
  for (const auto* line :
       {"a \"b\r\n", "a 'b\r\n", "\"\n", "'\n", "\"a\\\"\r\n", "'\\'\n", "\"\\\n", "a \"b' c\n"}) {
    const auto typed = type(line);
    EXPECT_EQ(typed.status, Status::error) << line;
    EXPECT_EQ(typed.text, "Protocol error: unbalanced quotes in request") << line;
  }
}

TEST(RespInline, NothingMayFollowAClosingQuote) {
  for (const auto* line : {"\"a\"b\r\n", "'a'b\r\n", "\"a\"\"b\"\r\n", "'a'\"b\"\r\n"}) {
    EXPECT_EQ(type(line).text, "Protocol error: unbalanced quotes in request") << line;
  }
}

TEST(RespInline, ALineWithoutItsEndNeedsMore) {
  EXPECT_EQ(type("PING").status, Status::need_more);
  EXPECT_EQ(type("PING").bytes, 5u);
  EXPECT_EQ(type("PING\r").bytes, 6u);
  EXPECT_EQ(type("\"a").bytes, 3u);  // it may still close
}

TEST(RespInline, ALineMayBeSoLongAndNoLonger) {
  const std::string longest(most_inline_bytes - 1, 'x');
  EXPECT_EQ(words(longest + "\n").front().size(), most_inline_bytes - 1);
  EXPECT_EQ(type(longest).status, Status::need_more);
  EXPECT_EQ(type(longest + "x").text, "Protocol error: too big inline request");
  EXPECT_EQ(type(longest + "x\n").text, "Protocol error: too big inline request");
}

TEST(RespInline, ALineMayHaveSoManyWords) {
  std::string line;
  for (std::size_t i = 0; i < most_arguments; ++i) line += "'x' ";
  EXPECT_EQ(words(line + "\n").size(), most_arguments);
  EXPECT_EQ(type(line + "x\n").text, "Protocol error: too many arguments");
}

TEST(RespInline, ManyQuotedWordsDoNotMoveOneAnother) {
  std::string line;
  Words expected;
  for (int i = 0; i < 200; ++i) {
    expected.push_back(std::string(static_cast<std::size_t>(i), 'a') + " ");
    line += "\"" + expected.back() + "\" ";
  }
  EXPECT_EQ(words(line + "\r\n"), expected);
}

/// A word as a person might write it, in one of three ways.
std::string quoted(const std::string& word, int way) {
  const bool plain = !word.empty() && word.find_first_of(" \t\n\v\f\r\"'*") == std::string::npos &&
                     word.find('\0') == std::string::npos;
  if (way == 0 && plain) return word;
  const bool single = word.find_first_of("\n\\") == std::string::npos && !word.ends_with('\r');
  if (way == 1 && single) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("\\'") : std::string(1, c);
    return text + "'";
  }
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return text + "\"";
}

TEST(RespInline, PropertyWhatIsQuotedIsReadBack) {
  rc::check([](const std::vector<std::pair<std::string, int>>& chosen) {
    std::string line;
    Words expected;
    for (const auto& [word, way] : chosen) {
      line += quoted(word, ((way % 3) + 3) % 3) + " ";
      expected.push_back(word);
    }
    const auto typed = type(line + "\r\n");
    RC_ASSERT(typed.status == Status::request);
    RC_ASSERT(typed.words == expected);
  });
}

TEST(RespInline, PropertyAnyLineIsAnsweredInsideItsBounds) {
  rc::check([](std::string line) {
    std::erase(line, '\n');
    const auto typed = type("x" + line + "\n");
    RC_ASSERT(typed.status != Status::need_more);
    if (typed.status == Status::request) RC_ASSERT(typed.bytes == line.size() + 2);
    std::size_t total = 0;
    for (const auto& word : typed.words) total += word.size();
    RC_ASSERT(total <= line.size() + 1);
  });
}

}  // namespace
}  // namespace weir::wire::resp
