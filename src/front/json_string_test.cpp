// SPDX-License-Identifier: Apache-2.0
#include "front/json_string.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <boost/json.hpp>

namespace weir::front {
namespace {

std::string as_json(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

TEST(JsonString, PlainTextIsOnlyQuoted) {
  EXPECT_EQ(as_json(""), R"("")");
  EXPECT_EQ(as_json("10/s burst 50"), R"("10/s burst 50")");
  EXPECT_EQ(as_json("h\xC3\xA9llo \xF0\x9F\x98\x80"), "\"h\xC3\xA9llo \xF0\x9F\x98\x80\"");
}

TEST(JsonString, WhatJsonWantsEscapedIsEscaped) {
  EXPECT_EQ(as_json("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(as_json("\r\n\t"), R"("\r\n\t")");
  EXPECT_EQ(as_json(std::string_view("\0\x1f", 2)), R"("\u0000\u001f")");
}

TEST(JsonString, WhatIsNoUtf8IsReplaced) {
  const std::string bad = "\"\xEF\xBF\xBD\"";
  EXPECT_EQ(as_json("\x80"), bad);
  EXPECT_EQ(as_json("\xFF"), bad);
  EXPECT_EQ(as_json("\xC3"), bad);                                         // cut short
  EXPECT_EQ(as_json("\xC3(").substr(4), "(\"");                            // no continuation
  EXPECT_EQ(as_json("\xC0\xAF").find('/'), std::string::npos);             // overlong
  EXPECT_EQ(as_json("\xED\xA0\x80").find('\xED'), std::string::npos);      // a surrogate
  EXPECT_EQ(as_json("\xF4\x90\x80\x80").find('\xF4'), std::string::npos);  // beyond U+10FFFF
}

TEST(JsonString, WhateverTheBytesTheStringIsValidJson) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    boost::system::error_code error;
    const auto value = boost::json::parse(as_json(text), error);
    RC_ASSERT(!error);
    RC_ASSERT(value.is_string());
  }));
}

TEST(JsonString, ValidTextComesBackTheSame) {
  for (unsigned point = 1; point < 0x11000; point += 7) {
    if (point >= 0xD800 && point < 0xE000) continue;
    std::string text;
    if (point < 0x80) {
      text = {static_cast<char>(point)};
    } else if (point < 0x800) {
      text = {static_cast<char>(0xC0 | point >> 6), static_cast<char>(0x80 | (point & 0x3F))};
    } else if (point < 0x10000) {
      text = {static_cast<char>(0xE0 | point >> 12), static_cast<char>(0x80 | (point >> 6 & 0x3F)),
              static_cast<char>(0x80 | (point & 0x3F))};
    } else {
      text = {static_cast<char>(0xF0 | point >> 18), static_cast<char>(0x80 | (point >> 12 & 0x3F)),
              static_cast<char>(0x80 | (point >> 6 & 0x3F)),
              static_cast<char>(0x80 | (point & 0x3F))};
    }
    EXPECT_EQ(boost::json::parse(as_json(text)).as_string(), text) << point;
  }
}

}  // namespace
}  // namespace weir::front
