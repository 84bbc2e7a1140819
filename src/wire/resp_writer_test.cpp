// SPDX-License-Identifier: Apache-2.0
// Replies, written and read back by a reader of the tests' own.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "wire/resp.hpp"

namespace weir::wire::resp {
namespace {

template <typename Write>
std::string written(bool resp3, const Write& write) {
  std::string out;
  Writer writer(out, resp3);
  write(writer);
  return out;
}

template <typename Write>
std::string resp2(const Write& write) {
  return written(false, write);
}

TEST(RespWriter, SimpleStrings) {
  EXPECT_EQ(resp2([](Writer& w) { w.simple("OK"); }), "+OK\r\n");
  EXPECT_EQ(resp2([](Writer& w) { w.simple(""); }), "+\r\n");
}

TEST(RespWriter, Errors) {
  EXPECT_EQ(resp2([](Writer& w) { w.error("ERR no"); }), "-ERR no\r\n");
}

TEST(RespWriter, Integers) {
  EXPECT_EQ(resp2([](Writer& w) { w.integer(0); }), ":0\r\n");
  EXPECT_EQ(resp2([](Writer& w) { w.integer(-1); }), ":-1\r\n");
  EXPECT_EQ(resp2([](Writer& w) { w.integer(INT64_MAX); }), ":9223372036854775807\r\n");
  EXPECT_EQ(resp2([](Writer& w) { w.integer(INT64_MIN); }), ":-9223372036854775808\r\n");
}

TEST(RespWriter, BulkStrings) {
  EXPECT_EQ(resp2([](Writer& w) { w.bulk("hello"); }), "$5\r\nhello\r\n");
  EXPECT_EQ(resp2([](Writer& w) { w.bulk("a\r\nb"); }), "$4\r\na\r\nb\r\n");
  EXPECT_EQ(resp2([](Writer& w) { w.bulk(""); }), "$0\r\n\r\n");
  const std::string large(100'000, 'x');
  EXPECT_EQ(resp2([&](Writer& w) { w.bulk(large); }), "$100000\r\n" + large + "\r\n");
}

TEST(RespWriter, Arrays) {
  EXPECT_EQ(resp2([](Writer& w) { w.array(0); }), "*0\r\n");
  EXPECT_EQ(resp2([](Writer& w) { w.array(1234567); }), "*1234567\r\n");
}

TEST(RespWriter, AnArrayOfIntegersWhole) {
  const std::int64_t values[] = {0, 16, 15, -1, 2};
  EXPECT_EQ(resp2([&](Writer& w) { w.integers(values); }),
            "*5\r\n:0\r\n:16\r\n:15\r\n:-1\r\n:2\r\n");
  EXPECT_EQ(resp2([](Writer& w) { w.integers({}); }), "*0\r\n");
}

TEST(RespWriter, AsManyLongIntegersAsThereMayBe) {
  const std::vector<std::int64_t> values(Writer::most_integers, INT64_MIN);
  std::string expected = "*9\r\n";
  for (std::size_t i = 0; i < values.size(); ++i) expected += ":-9223372036854775808\r\n";
  EXPECT_EQ(resp2([&](Writer& w) { w.integers(values); }), expected);
}

TEST(RespWriter, NullInBothProtocols) {
  const auto null = [](Writer& w) { w.null(); };
  EXPECT_EQ(written(false, null), "$-1\r\n");
  EXPECT_EQ(written(true, null), "_\r\n");
}

TEST(RespWriter, MapsInBothProtocols) {
  const auto map = [](Writer& w) { w.map(7); };
  EXPECT_EQ(written(false, map), "*14\r\n");
  EXPECT_EQ(written(true, map), "%7\r\n");
}

TEST(RespWriter, NoErrorTextBreaksOutOfItsLine) {
  EXPECT_EQ(resp2([](Writer& w) { w.error("ERR unknown 'a\r\n+OK'"); }),
            "-ERR unknown 'a  +OK'\r\n");
}

TEST(RespWriter, AppendsToWhatIsThere) {
  std::string out = "+first\r\n";
  Writer(out, false).error("ERR second");
  EXPECT_EQ(out, "+first\r\n-ERR second\r\n");
}

// --- read back ----------------------------------------------------------------------------------

/// A reply of any type that the writer knows, as text for comparing.
struct Reader {
  std::string_view left;

  std::string line() {
    const auto end = left.find("\r\n");
    EXPECT_NE(end, std::string_view::npos);
    std::string text(left.substr(0, end));
    left.remove_prefix(end + 2);
    return text;
  }

  std::string next() {
    const std::string head = line();
    const auto count = [&head] { return std::stoul(head.substr(1)); };
    switch (head[0]) {
      case '+':
      case '-':
      case ':':
      case '_': return head;
      case '$': {
        if (head == "$-1") return "_";
        std::string bytes(left.substr(0, count()));
        left.remove_prefix(bytes.size());
        EXPECT_EQ(line(), "");
        return "$" + bytes;
      }
      case '*': return elements(count());
      case '%': return elements(count() * 2);
      default: ADD_FAILURE() << head; return {};
    }
  }

  std::string elements(std::size_t size) {
    std::string all = "[";
    for (std::size_t i = 0; i < size; ++i) all += next() + ",";
    return all + "]";
  }
};

/// A reply that says one thing of each kind.
std::string tree(bool resp3, std::int64_t number, const std::string& bytes) {
  return written(resp3, [&](Writer& w) {
    w.array(4);
    w.integer(number);
    w.map(2);
    w.bulk(bytes);
    w.null();
    w.bulk("key");
    const std::int64_t pair[] = {number, 1};
    w.integers(pair);
    w.error("ERR " + bytes);
    w.simple("OK");
  });
}

TEST(RespWriter, PropertyWhatIsWrittenIsReadBack) {
  rc::check([](std::int64_t number, const std::string& bytes) {
    const auto text = std::to_string(number);
    std::string shown = bytes;
    for (char& c : shown) {
      if (c == '\r' || c == '\n') c = ' ';
    }
    const std::string expected =
        "[:" + text + ",[$" + bytes + ",_,$key,[:" + text + ",:1,],],-ERR " + shown + ",+OK,]";
    for (const bool resp3 : {false, true}) {
      const auto reply = tree(resp3, number, bytes);
      Reader reader{reply};
      RC_ASSERT(reader.next() == expected);
      RC_ASSERT(reader.left.empty());
    }
  });
}

}  // namespace
}  // namespace weir::wire::resp
