// SPDX-License-Identifier: Apache-2.0
#include "wire/resp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>
#include <vector>

namespace weir::wire::resp {
namespace {

using Words = std::vector<std::string>;
using Status = Parsed::Status;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Words words_of(const Arguments& arguments) {
  return {arguments.all().begin(), arguments.all().end()};
}

/// The words of an input that is one whole request.
Words words(std::string_view input) {
  auto arguments = std::make_unique<Arguments>();
  const auto parsed = parse_request(input, *arguments);
  EXPECT_EQ(parsed.status, Status::request) << parsed.text;
  EXPECT_EQ(parsed.bytes, input.size());
  return words_of(*arguments);
}

std::string complaint(std::string_view input) {
  auto arguments = std::make_unique<Arguments>();
  const auto parsed = parse_request(input, *arguments);
  EXPECT_EQ(parsed.status, Status::error) << input.substr(0, 40);
  return std::string(parsed.text);
}

std::size_t needs(std::string_view input) {
  auto arguments = std::make_unique<Arguments>();
  const auto parsed = parse_request(input, *arguments);
  EXPECT_EQ(parsed.status, Status::need_more) << input.substr(0, 40);
  return parsed.bytes;
}

std::string encode(const Words& args) {
  std::string out = "*" + std::to_string(args.size()) + "\r\n";
  for (const auto& arg : args) out += "$" + std::to_string(arg.size()) + "\r\n" + arg + "\r\n";
  return out;
}

TEST(RespRequest, AnArrayOfBulkStrings) {
  EXPECT_THAT(words("*1\r\n$4\r\nPING\r\n"), ElementsAre("PING"));
  EXPECT_THAT(words("*3\r\n$1\r\na\r\n$0\r\n\r\n$4\r\n\r\n\r\n\r\n"),
              ElementsAre("a", "", "\r\n\r\n"));
}

TEST(RespRequest, OnlyTheFirstOfAPipelineIsTaken) {
  auto arguments = std::make_unique<Arguments>();
  const auto parsed = parse_request("*1\r\n$1\r\na\r\n*1\r\n$1\r\nb\r\n", *arguments);
  EXPECT_EQ(parsed.bytes, 11u);
  EXPECT_THAT(words_of(*arguments), ElementsAre("a"));
}

TEST(RespRequest, EmptyRequestsHaveNoArguments) {
  EXPECT_THAT(words("*0\r\n"), IsEmpty());
  EXPECT_THAT(words("*-1\r\n"), IsEmpty());
  EXPECT_THAT(words("\r\n"), IsEmpty());
  EXPECT_THAT(words("  \n"), IsEmpty());
}

TEST(RespRequest, LengthsAreWrittenInOneWay) {
  for (const auto* input : {"*x\r\n", "*\r\n", "*+1\r\n", "*01\r\n", "* 1\r\n", "*1 \r\n", "*1\rx",
                            "*-0\r\n", "*--1\r\n", "*257\r\n", "*99999999999999999999\r\n",
                            "*111111111111111111111111111111111111"}) {
    EXPECT_EQ(complaint(input), "Protocol error: invalid multibulk length") << input;
  }
  for (const auto* input : {"*1\r\n$x\r\n", "*1\r\n$-1\r\n", "*1\r\n$65537\r\n", "*1\r\n$\r\n"}) {
    EXPECT_EQ(complaint(input), "Protocol error: invalid bulk length") << input;
  }
}

TEST(RespRequest, NothingButBulkStringsInTheArray) {
  EXPECT_EQ(complaint("*1\r\n:1\r\n"), "Protocol error: expected '$'");
  EXPECT_EQ(complaint("*1\r\n*1\r\n$1\r\na\r\n"), "Protocol error: expected '$'");
}

TEST(RespRequest, ABulkStringEndsWhereItSays) {
  EXPECT_THAT(complaint("*1\r\n$4\r\nPINGxx"), HasSubstr("does not end"));
  EXPECT_THAT(complaint("*1\r\n$3\r\nPING\r\n"), HasSubstr("does not end"));
}

TEST(RespRequest, MissingBytesAreCounted) {
  EXPECT_EQ(needs(""), 1u);
  EXPECT_EQ(needs("*"), 2u);
  EXPECT_EQ(needs("*1"), 3u);
  EXPECT_EQ(needs("*1\r"), 4u);
  EXPECT_EQ(needs("*1\r\n"), 5u);
  EXPECT_EQ(needs("*1\r\n$100\r\nab"), 4u + 6 + 100 + 2);
  EXPECT_EQ(needs("PIN"), 4u);
}

TEST(RespRequest, AsMuchAsTheLimitsAllowAndNotMore) {
  EXPECT_EQ(words(encode(Words(most_arguments, "x"))).size(), most_arguments);
  const std::string longest(most_bulk_bytes, 'x');
  EXPECT_THAT(words(encode({longest})), ElementsAre(longest));
  EXPECT_EQ(complaint(encode(Words(4, longest))), "Protocol error: too big request");
  EXPECT_EQ(complaint(std::string(most_inline_bytes, 'x')),
            "Protocol error: too big inline request");
  std::string many;
  for (std::size_t i = 0; i <= most_arguments; ++i) many += "x ";
  EXPECT_EQ(complaint(many + "\r\n"), "Protocol error: too many arguments");
}

TEST(RespRequest, WhatIsAskedForIsNeverMoreThanAWholeRequestMayBe) {
  // The connection keeps so much at most: an input that long is a request or an error.
  const Words args(3, std::string(most_bulk_bytes, 'x'));
  const std::string input = encode(args) + encode(args);
  for (std::size_t size = 0; size < input.size(); size += 997) {
    auto arguments = std::make_unique<Arguments>();
    const auto parsed = parse_request(std::string_view(input).substr(0, size), *arguments);
    EXPECT_LE(parsed.bytes, most_request_bytes);
  }
}

TEST(RespRequest, LengthsOfAnyNumberOfDigits) {
  for (const std::size_t size : {0u, 1u, 9u, 10u, 11u, 99u, 100u, 101u, 999u, 1000u, 12345u}) {
    const std::string word(size, 'x');
    EXPECT_THAT(words(encode({word})), ElementsAre(word)) << size;
  }
  for (const std::size_t count : {1u, 2u, 9u, 10u, 11u, 99u, 100u, 256u}) {
    EXPECT_EQ(words(encode(Words(count, "x"))).size(), count);
  }
}

TEST(RespRequest, ArgumentsAreReusedFromRequestToRequest) {
  auto arguments = std::make_unique<Arguments>();
  (void)parse_request(encode({"a", "b", "c"}), *arguments);
  EXPECT_EQ(arguments->size(), 3u);
  (void)parse_request("'x y'\n", *arguments);
  EXPECT_THAT(words_of(*arguments), ElementsAre("x y"));
  (void)parse_request("*0\r\n", *arguments);
  EXPECT_TRUE(arguments->empty());
}

TEST(RespRequest, ViewsAreOfTheInputItself) {
  auto arguments = std::make_unique<Arguments>();
  const std::string input = encode({"PING", "hello"});
  (void)parse_request(input, *arguments);
  EXPECT_EQ((*arguments)[1].data(), input.data() + input.find("hello"));
}

// --- properties ---------------------------------------------------------------------------------

/// What a connection sees of a pipeline that comes in the given pieces.
struct Seen {
  std::vector<Words> requests;
  std::string error;
  std::size_t left = 0;
  bool operator==(const Seen&) const = default;
};

Seen feed(const std::string& bytes, const std::vector<std::size_t>& cuts) {
  Seen seen;
  std::string input;
  std::size_t least = 0;
  std::size_t at = 0;
  auto arguments = std::make_unique<Arguments>();
  const auto take_all = [&] {
    while (seen.error.empty() && input.size() >= least) {
      const auto parsed = parse_request(input, *arguments);
      if (parsed.status == Status::error) seen.error = parsed.text;
      if (parsed.status == Status::need_more) least = parsed.bytes;
      if (parsed.status != Status::request) return;
      seen.requests.push_back(words_of(*arguments));
      input.erase(0, parsed.bytes);
      least = 0;
    }
  };
  for (const auto cut : cuts) {
    const auto size = std::min(cut, bytes.size() - at);
    input.append(bytes, at, size);
    at += size;
    take_all();
  }
  input.append(bytes, at);
  take_all();
  seen.left = seen.error.empty() ? input.size() : 0;
  return seen;
}

TEST(RespRequest, PropertyWhatIsEncodedIsParsed) {
  rc::check([](const std::vector<Words>& requests) {
    std::string bytes;
    for (const auto& request : requests) bytes += encode(request);
    const auto seen = feed(bytes, {});
    RC_ASSERT(seen.error.empty());
    RC_ASSERT(seen.left == 0u);
    RC_ASSERT(seen.requests == requests);
  });
}

/// Bytes that look like RESP more often than random ones do.
rc::Gen<std::string> resp_like() {
  static const std::vector<std::string> pieces = {
      "*1\r\n",   "*2\r\n", "$4\r\n",  "$0\r\n",      "PING",
      "\r\n",     "\n",     "\r",      "*",           "$",
      "-1",       "a b",    "\"x\"",   "'",           "\"",
      "\\",       "*0\r\n", "*-1\r\n", "$1\r\nx\r\n", "*1\r\n$4\r\nPING\r\n",
      "PING\r\n", "x"};
  return rc::gen::map(rc::gen::container<Words>(rc::gen::elementOf(pieces)),
                      [](const Words& parts) {
                        std::string all;
                        for (const auto& part : parts) all += part;
                        return all;
                      });
}

TEST(RespRequest, PropertyAnySplitOfTheBytesIsTheSame) {
  rc::check([] {
    const auto bytes = *resp_like();
    const auto cuts = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange(1, 12));
    const auto whole = feed(bytes, {});
    RC_ASSERT(feed(bytes, cuts) == whole);
    RC_ASSERT(feed(bytes, std::vector<std::size_t>(bytes.size(), 1)) == whole);
  });
}

TEST(RespRequest, PropertyNeedMoreTellsTheLeast) {
  rc::check([](const Words& request) {
    const auto bytes = encode(request);
    auto arguments = std::make_unique<Arguments>();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const auto parsed = parse_request(std::string_view(bytes).substr(0, size), *arguments);
      RC_ASSERT(parsed.status == Status::need_more);
      RC_ASSERT(parsed.bytes > size);
      RC_ASSERT(parsed.bytes <= bytes.size());
    }
  });
}

TEST(RespRequest, PropertyADamagedByteBreaksNoBound) {
  rc::check([](const std::vector<Words>& requests) {
    std::string bytes;
    for (const auto& request : requests) bytes += encode(request);
    if (bytes.empty()) return;
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] = *rc::gen::arbitrary<char>();
    auto arguments = std::make_unique<Arguments>();
    std::string_view left = bytes;
    while (true) {
      const auto parsed = parse_request(left, *arguments);
      if (parsed.status != Status::request) break;
      RC_ASSERT(parsed.bytes > 0u);
      RC_ASSERT(parsed.bytes <= left.size());
      left.remove_prefix(parsed.bytes);
    }
  });
}

}  // namespace
}  // namespace weir::wire::resp
