// SPDX-License-Identifier: Apache-2.0
#include "wire/resp_reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "wire/resp.hpp"

namespace weir::wire::resp {
namespace {

using Status = ParsedReply::Status;
using Type = Node::Type;

/// A reply as a person would write it; an error's text where it is none.
std::string shown(const Reply& reply, std::size_t at = 0) {
  const Node& node = reply[at];
  switch (node.type) {
    case Type::simple: return "+" + std::string(node.text);
    case Type::error: return "-" + std::string(node.text);
    case Type::integer: return std::to_string(node.integer);
    case Type::bulk: return "\"" + std::string(node.text) + "\"";
    case Type::null: return "null";
    case Type::array: break;
  }
  std::string text = "[";
  std::size_t element = at + 1;
  for (std::size_t i = 0; i < node.size; ++i) {
    text += (i > 0 ? " " : "") + shown(reply, element);
    element = reply[element].end;
  }
  EXPECT_EQ(element, node.end);
  return text + "]";
}

std::string parsed(std::string_view input) {
  Reply reply;
  const auto result = parse_reply(input, reply);
  if (result.status == Status::error) return "error: " + std::string(result.text);
  if (result.status == Status::need_more) return "need " + std::to_string(result.bytes);
  EXPECT_EQ(result.bytes, input.size());
  return shown(reply);
}

TEST(RespReply, EachTypeIsRead) {
  EXPECT_EQ(parsed("+OK\r\n"), "+OK");
  EXPECT_EQ(parsed("+\r\n"), "+");
  EXPECT_EQ(parsed("-ERR no such thing\r\n"), "-ERR no such thing");
  EXPECT_EQ(parsed(":0\r\n"), "0");
  EXPECT_EQ(parsed(":-9223372036854775808\r\n"), "-9223372036854775808");
  EXPECT_EQ(parsed("$3\r\na\r\n\r\n"), "\"a\r\n\"");
  EXPECT_EQ(parsed("$0\r\n\r\n"), "\"\"");
  EXPECT_EQ(parsed("$-1\r\n"), "null");
  EXPECT_EQ(parsed("*-1\r\n"), "null");
  EXPECT_EQ(parsed("*0\r\n"), "[]");
}

TEST(RespReply, ArraysAreFlatAndSayWhereTheyEnd) {
  EXPECT_EQ(parsed("*4\r\n:7\r\n$-1\r\n*2\r\n:8\r\n*0\r\n+x\r\n"), "[7 null [8 []] +x]");
  Reply reply;
  ASSERT_EQ(parse_reply("*3\r\n*1\r\n*1\r\n:1\r\n:2\r\n:3\r\n", reply).status, Status::reply);
  EXPECT_EQ(reply.nodes().size(), 6U);
  EXPECT_EQ(reply[1].end, 4U);
  EXPECT_EQ(reply[2].end, 4U);
  EXPECT_EQ(reply.root().end, 6U);
}

TEST(RespReply, OnlyTheFirstOfSeveralIsTaken) {
  Reply reply;
  const auto result = parse_reply(":1\r\n:2\r\n", reply);
  EXPECT_EQ(result.bytes, 4U);
  EXPECT_EQ(reply.root().integer, 1);
}

TEST(RespReply, AnErrorHasACode) {
  Reply reply;
  (void)parse_reply("-MOVED 3999 127.0.0.1:6381\r\n", reply);
  EXPECT_EQ(reply.error_code(), "MOVED");
  (void)parse_reply("-LOADING\r\n", reply);
  EXPECT_EQ(reply.error_code(), "LOADING");
  (void)parse_reply("+MOVED 1\r\n", reply);
  EXPECT_EQ(reply.error_code(), "");
}

TEST(RespReply, AnErrorWithinAnArrayIsNoErrorOfTheWhole) {
  Reply reply;
  ASSERT_EQ(parse_reply("*1\r\n-ERR a\r\n", reply).status, Status::reply);
  EXPECT_FALSE(reply.is_error());
  EXPECT_EQ(reply.error_code(), "");
  EXPECT_TRUE(reply[1].is(Type::error));
}

TEST(RespReply, WhatIsMissingIsTold) {
  EXPECT_EQ(parsed(""), "need 1");
  EXPECT_EQ(parsed("+OK"), "need 4");
  EXPECT_EQ(parsed("+OK\r"), "need 5");
  EXPECT_EQ(parsed("$10\r\nabc"), "need 17");
  EXPECT_EQ(parsed("*2\r\n:1\r\n"), "need 9");
  EXPECT_EQ(parsed("*1\r\n$1000000\r\n"), "need 1000016");
}

TEST(RespReply, WhatIsNoReplyIsAnError) {
  for (const auto* input :
       {"x\r\n", "%1\r\n+a\r\n:1\r\n", "_\r\n", ">1\r\n:1\r\n", " :1\r\n",
        "HTTP/1.1 400 Bad Request\r\n", ":\r\n", ":1x\r\n", ":+1\r\n", ": 1\r\n",
        ":9223372036854775808\r\n", ":1\rx", "+OK\rx", "$-2\r\n", "*-2\r\n", "$1\r\nabc",
        "$1\r\na\rx", "*1\r\n?\r\n", ":00000000000000000000000000000000000"}) {
    EXPECT_THAT(parsed(input), testing::StartsWith("error: ")) << input;
  }
}

TEST(RespReply, EveryBoundHolds) {
  const auto array = [](std::size_t size) { return "*" + std::to_string(size) + "\r\n"; };
  EXPECT_EQ(parsed(array(most_reply_nodes)), "need 9");
  EXPECT_EQ(parsed(array(most_reply_nodes + 1)), "error: a reply of too many values");
  EXPECT_EQ(parsed(array(9) + array(most_reply_nodes)), "error: a reply of too many values");
  EXPECT_EQ(parsed(array(9223372036854775807)), "error: a reply of too many values");

  std::string nested;
  for (std::size_t i = 0; i < most_reply_depth; ++i) nested += array(1);
  EXPECT_EQ(parsed(nested + ":1\r\n"), "[[[[[[[[1]]]]]]]]");
  EXPECT_EQ(parsed(nested + array(1)), "error: too many arrays within each other");

  const std::string filler(most_reply_bytes, 'a');
  EXPECT_EQ(parsed("$1048576\r\n" + filler), "error: too big reply");
  EXPECT_EQ(parsed("$9223372036854775807\r\n"), "error: too big reply");
  EXPECT_EQ(parsed("+" + filler + "\r\n"), "error: too big reply");
  EXPECT_EQ(parsed("*2\r\n$1000000\r\n" + filler.substr(0, 1000000) + "\r\n$60000\r\n"),
            "error: too big reply");
}

TEST(RespReply, TheMapOfAClusterIsRead) {
  const std::string input =
      "*2\r\n"
      "*3\r\n:0\r\n:8191\r\n*4\r\n$9\r\n127.0.0.1\r\n:7000\r\n$2\r\nid\r\n*0\r\n"
      "*3\r\n:8192\r\n:16383\r\n*4\r\n$0\r\n\r\n:7001\r\n$2\r\nid\r\n*2\r\n$8\r\nhostname"
      "\r\n$1\r\nh\r\n";
  EXPECT_EQ(parsed(input),
            "[[0 8191 [\"127.0.0.1\" 7000 \"id\" []]]"
            " [8192 16383 [\"\" 7001 \"id\" [\"hostname\" \"h\"]]]]");
}

TEST(RespReply, TextsAreViewsOfTheInput) {
  const std::string input = "*2\r\n$3\r\nabc\r\n+de\r\n";
  Reply reply;
  ASSERT_EQ(parse_reply(input, reply).status, Status::reply);
  EXPECT_EQ(reply[1].text.data(), input.data() + 8);
  EXPECT_EQ(reply[2].text.data(), input.data() + 14);
  EXPECT_TRUE(reply[1].is_text());
  EXPECT_TRUE(reply[2].is_text());
  EXPECT_FALSE(reply.root().is_text());
}

TEST(RespReply, WhatWasReadBeforeIsGone) {
  Reply reply;
  ASSERT_EQ(parse_reply("*2\r\n:1\r\n:2\r\n", reply).status, Status::reply);
  ASSERT_EQ(parse_reply("+OK\r\n", reply).status, Status::reply);
  EXPECT_EQ(reply.nodes().size(), 1U);
  EXPECT_EQ(shown(reply), "+OK");
  ASSERT_EQ(parse_reply("*2\r\n:1\r\n", reply).status, Status::need_more);
  ASSERT_EQ(parse_reply(":5\r\n", reply).status, Status::reply);
  EXPECT_EQ(shown(reply), "5");
}

TEST(RespReply, ReusedItAllocatesNothing) {
  const std::string input = "*3\r\n:1\r\n$3\r\nabc\r\n-ERR\r\n";
  Reply reply;
  (void)parse_reply(input, reply);
  const auto* place = reply.nodes().data();
  for (int i = 0; i < 3; ++i) {
    (void)parse_reply(input, reply);
    EXPECT_EQ(reply.nodes().data(), place);
  }
}

std::string generated_reply(int depth) {
  const int kind = *rc::gen::inRange(0, depth == 0 ? 5 : 7);
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange('a', 'z'));
  const auto bytes = *rc::gen::arbitrary<std::string>();
  switch (kind) {
    case 0: return "+" + text + "\r\n";
    case 1: return "-" + text + "\r\n";
    case 2: return ":" + std::to_string(*rc::gen::arbitrary<std::int64_t>()) + "\r\n";
    case 3: return "$" + std::to_string(bytes.size()) + "\r\n" + bytes + "\r\n";
    case 4: return "$-1\r\n";
    default: break;
  }
  const int size = *rc::gen::inRange(0, 4);
  std::string array = "*" + std::to_string(size) + "\r\n";
  for (int i = 0; i < size; ++i) array += generated_reply(depth - 1);
  return array;
}

TEST(RespReply, ABeginningIsNeverEnoughAndNeverWrong) {
  rc::check("each beginning of a reply asks for more, and for no more than there is", [] {
    const std::string input = generated_reply(3);
    Reply reply;
    for (std::size_t size = 0; size < input.size(); ++size) {
      const auto result = parse_reply(std::string_view(input).substr(0, size), reply);
      RC_ASSERT(result.status == Status::need_more);
      RC_ASSERT(result.bytes > size && result.bytes <= input.size());
    }
    RC_ASSERT(parse_reply(input + "junk", reply).bytes == input.size());
  });
}

TEST(RespReply, WhatTheServerSideWritesIsRead) {
  std::string bytes;
  Writer writer(bytes, false);
  writer.array(4);
  writer.integers(std::array<std::int64_t, 2>{-1, 2});
  writer.error("ERR a\nb");
  writer.null();
  writer.bulk("x");
  EXPECT_EQ(parsed(bytes), "[[-1 2] -ERR a b null \"x\"]");
}

TEST(RespCommand, IsAnArrayOfBulkStrings) {
  std::string out;
  append_command(out, std::array<std::string_view, 1>{"PING"});
  EXPECT_EQ(out, "*1\r\n$4\r\nPING\r\n");
  append_command(out, std::array<std::string_view, 3>{"SET", "", "a\r\nb"});
  EXPECT_EQ(out, "*1\r\n$4\r\nPING\r\n*3\r\n$3\r\nSET\r\n$0\r\n\r\n$4\r\na\r\nb\r\n");
}

TEST(RespCommand, MayBeLong) {
  const std::string key(100000, 'k');
  std::string out;
  append_command(out, std::array<std::string_view, 2>{"GET", key});
  EXPECT_TRUE(out.starts_with("*2\r\n$3\r\nGET\r\n$100000\r\nkkk"));
  EXPECT_EQ(out.size(), 4 + 9 + 9 + 100000 + 2U);
}

TEST(RespCommand, IsWhatTheServerSideParses) {
  rc::check("arguments of any bytes arrive as they were", [] {
    auto words = *rc::gen::arbitrary<std::vector<std::string>>();
    words.insert(words.begin(), "GET");
    const std::vector<std::string_view> views(words.begin(), words.end());
    std::string out = "before";
    append_command(out, views);
    Arguments arguments;
    const auto result = parse_request(std::string_view(out).substr(6), arguments);
    RC_ASSERT(result.status == Parsed::Status::request);
    RC_ASSERT(result.bytes + 6 == out.size());
    RC_ASSERT(std::vector<std::string>(arguments.all().begin(), arguments.all().end()) == words);
  });
}

}  // namespace
}  // namespace weir::wire::resp
