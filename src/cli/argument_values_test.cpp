// SPDX-License-Identifier: Apache-2.0
#include "cli/argument_values.hpp"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

TEST(ArgumentValues, RequestLines) {
  for (const std::string text :
       {"GET /v1/x", "  GET  /v1/x  ", "GET /v1/x HTTP/1.1", "GET /v1/x HTTP/2"}) {
    const auto line = read_request_line(text);
    ASSERT_TRUE(line.ok()) << text;
    EXPECT_EQ(line->method, "GET");
    EXPECT_EQ(line->target, "/v1/x");
  }
  for (const std::string text : {"", "GET", "/v1/x", "GET ", " ", "G(T /", "GET  HTTP/1.1"}) {
    EXPECT_FALSE(read_request_line(text).ok()) << text;
  }
  EXPECT_EQ(read_request_line("/v1/x").error(), "'/v1/x' is not like 'GET /v1/x'");
}

TEST(ArgumentValues, Headers) {
  const auto header = read_header(" X-Api-Key :  a: b ");
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->name, "X-Api-Key");
  EXPECT_EQ(header->value, "a: b");
  EXPECT_TRUE(read_header("x:").ok()) << "an empty value";
  for (const std::string text : {"", "x", ":", ": v", "a b: v", "a\n: v"}) {
    EXPECT_FALSE(read_header(text).ok()) << text;
  }
}

TEST(ArgumentValues, Addresses) {
  EXPECT_EQ(read_address("198.18.0.1")->to_string(), "198.18.0.1");
  EXPECT_EQ(read_address("[2001:db8::1]:80")->to_string(), "2001:db8::1");
  EXPECT_EQ(read_address("host").error(), "'host' is not like '198.18.0.1'");
}

TEST(ArgumentValues, Endpoints) {
  for (const std::string text : {"127.0.0.1:80", ":0", "[::1]:8080", "host:1", "unix:weir.sock"}) {
    EXPECT_EQ(endpoint_fault(text), "") << text;
  }
  for (const std::string text : {"", "127.0.0.1", "h:70000", "h:x", "unix:"}) {
    EXPECT_NE(endpoint_fault(text), "") << text;
  }
}

TEST(ArgumentValues, Numbers) {
  EXPECT_EQ(whole_number_fault("18446744073709551615"), "");
  for (const std::string text : {"", "-1", "+1", "1.5", "1e3", " 1", "0x1"}) {
    EXPECT_NE(whole_number_fault(text), "") << text;
  }
}

TEST(ArgumentValues, Sizes) {
  EXPECT_EQ(size_fault("131072"), "");
  EXPECT_EQ(size_fault("274877906944"), "");
  for (const std::string text : {"", "131071", "274877906945", "18446744073709551616", "-1"}) {
    EXPECT_NE(size_fault(text), "") << text;
  }
}

TEST(ArgumentValues, UnknownWordsAreAnsweredByTheNearestKnownOne) {
  EXPECT_EQ(tell_unknown({"option", "--formt", "--"}, {"config", "format"}),
            "unknown option '--formt'; did you mean '--format'?");
  EXPECT_EQ(tell_unknown({"option", "-config", "--"}, {"config", "format"}),
            "unknown option '-config'; did you mean '--config'?");
  EXPECT_EQ(tell_unknown({"command", "xyzzy", ""}, {"check"}), "unknown command 'xyzzy'");
  EXPECT_EQ(tell_unknown({"argument", "x\n", ""}, {}).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace weir::cli
