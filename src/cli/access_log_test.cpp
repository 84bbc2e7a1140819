// SPDX-License-Identifier: Apache-2.0
#include "cli/access_log.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>

namespace weir::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using testing::HasSubstr;

const std::string stamp = "[17/May/2015:10:05:03 +0000]";

/// Parses lines that it keeps, so that what is read of them may be looked at.
struct Lines {
  Result<LoggedRequest> parse(std::string text) {
    kept = std::move(text);
    return parser.parse(kept);
  }
  std::string kept;
  AccessLogParser parser;
};

/// A line with this request line and headers.
std::string line(const std::string& request, const std::string& headers = "") {
  return "198.18.0.1 - - " + stamp + " \"" + request + "\" 200 512" + headers;
}

std::string problem(const std::string& text) {
  Lines lines;
  const auto request = lines.parse(text);
  return request.ok() ? "(none)" : request.error();
}

Time time_of(const std::string& text) {
  Lines lines;
  const auto request = lines.parse("h - - [" + text + "] \"GET / HTTP/1.1\" 200 1");
  return request.ok() ? request->time : Time{Duration{-1}};
}

TEST(AccessLog, ReadsTheCombinedFormat) {
  Lines lines;
  const auto request =
      lines.parse(line("GET /x?y=1 HTTP/1.1", R"( "http://r/" "Mozilla/5.0 X11")"));
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->client, "198.18.0.1");
  EXPECT_EQ(request->time, Time{sys_days{2015y / 5 / 17} + 10h + 5min + 3s});
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->target, "/x?y=1");
  EXPECT_EQ(request->referer, "http://r/");
  EXPECT_EQ(request->user_agent, "Mozilla/5.0 X11");
}

TEST(AccessLog, ReadsTheCommonFormatAndFieldsBehindTheLast) {
  Lines lines;
  const auto common = lines.parse(line("GET / HTTP/1.1"));
  ASSERT_TRUE(common.ok());
  EXPECT_EQ(common->user_agent, "");
  const auto longer = lines.parse(line("GET / HTTP/1.1", R"( "-" "agent" "10.0.0.1" rt=0.3)"));
  ASSERT_TRUE(longer.ok());
  EXPECT_EQ(longer->referer, "");
  EXPECT_EQ(longer->user_agent, "agent");
}

TEST(AccessLog, FieldsThatAreMissingBehindTheRequestAreNoFault) {
  const auto whole = line("GET / HTTP/1.1", R"( "r" "agent")");
  for (auto size = whole.find("\" 200") + 1; size <= whole.size(); ++size) {
    EXPECT_EQ(problem(whole.substr(0, size)), "(none)") << whole.substr(0, size);
  }
}

TEST(AccessLog, ClientsMayBeIpv6AddressesOrNames) {
  Lines lines;
  for (const std::string client : {"2001:db8::1", "::ffff:198.18.0.1", "host.example.com"}) {
    const auto text = client + " - - " + stamp + R"( "GET / HTTP/1.1" 200 1)";
    const auto request = lines.parse(text);
    ASSERT_TRUE(request.ok());
    EXPECT_EQ(request->client, client);
  }
}

TEST(AccessLog, UserNamesMayHoldSpacesAndBrackets) {
  Lines lines;
  for (const std::string user : {"- frank", "- \"John [x] Doe\"", "ident a [b] c", "-  -"}) {
    const auto text = "198.18.0.1 " + user + " " + stamp + R"( "GET /p HTTP/1.1" 200 1)";
    const auto request = lines.parse(text);
    ASSERT_TRUE(request.ok()) << user;
    EXPECT_EQ(request->target, "/p");
  }
}

TEST(AccessLog, TimeZonesAreTakenOff) {
  EXPECT_EQ(time_of("17/May/2015:10:05:03 +0530"),
            Time{sys_days{2015y / 5 / 17} + 4h + 35min + 3s});
  EXPECT_EQ(time_of("17/May/2015:23:05:03 -0330"),
            Time{sys_days{2015y / 5 / 18} + 2h + 35min + 3s});
  EXPECT_EQ(time_of("29/Feb/2024:00:00:00 +0000"), Time{sys_days{2024y / 2 / 29}});
  EXPECT_EQ(time_of("31/Dec/2016:23:59:60 +0000"), Time{sys_days{2017y / 1 / 1}})
      << "a leap second";
}

TEST(AccessLog, EveryMonthIsKnown) {
  constexpr std::string_view names = "JanFebMarAprMayJunJulAugSepOctNovDec";
  for (unsigned month = 1; month <= 12; ++month) {
    const auto text = fmt::format("09/{}/2020:00:00:00 +0000", names.substr((month - 1) * 3, 3));
    EXPECT_EQ(time_of(text), Time{sys_days{2020y / std::chrono::month{month} / 9}}) << text;
  }
}

TEST(AccessLog, TimesThatAreNoneAreRefused) {
  for (const std::string text :
       {"30/Feb/2015:10:05:03 +0000", "00/May/2015:10:05:03 +0000", "17/Mai/2015:10:05:03 +0000",
        "17/anF/2015:10:05:03 +0000", "17/May/2015:24:05:03 +0000", "17/May/2015:10:60:03 +0000",
        "17/May/2015:10:05:61 +0000", "17/May/2015:10:05:03 00000", "17/May/2015:10:05:03 +0060",
        "17-May-2015:10:05:03 +0000", "17/May/2015 10:05:03 +0000", "17/May/2015:10.05.03 +0000",
        "17/May/2015:10:05:03", "2015-05-17T10:05:03+00:00", "-1/May/2015:10:05:03 +0000",
        "17/May/1969:10:05:03 +0000", "17/May/9999:10:05:03 +0000", "01/Jan/1970:00:00:00 +0100"}) {
    EXPECT_EQ(time_of(text), Time{Duration{-1}}) << text;
  }
}

TEST(AccessLog, EscapesAreUndoneAsApacheAndNginxWriteThem) {
  Lines lines;
  const auto apache = lines.parse(line(R"(GET /a\"b\\c HTTP/1.1)", R"( "-" "say \"hi\" \t\x41")"));
  ASSERT_TRUE(apache.ok());
  EXPECT_EQ(apache->target, R"(/a"b\c)");
  EXPECT_EQ(apache->user_agent, "say \"hi\" \tA");
  const auto nginx = lines.parse(line(R"(GET /a\x22b\x5Cc\xe2\x82\xAC HTTP/1.1)"));
  ASSERT_TRUE(nginx.ok());
  EXPECT_EQ(nginx->target, "/a\"b\\c\xe2\x82\xac");
  const auto neither = lines.parse(line(R"(GET /\q\x4g HTTP/1.1)"));
  ASSERT_TRUE(neither.ok());
  EXPECT_EQ(neither->target, R"(/\q\x4g)");
}

TEST(AccessLog, QuotesWithinAFieldDoNotEndIt) {
  Lines lines;
  const auto request = lines.parse(line(R"(GET /a"b HTTP/1.1)", R"( "-" "x"y")"));
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->target, "/a\"b");
  EXPECT_EQ(request->user_agent, "x\"y");
}

TEST(AccessLog, RequestLinesOfOtherShapes) {
  Lines lines;
  const auto spaces = lines.parse(line("GET /a b c HTTP/1.1"));
  ASSERT_TRUE(spaces.ok());
  EXPECT_EQ(spaces->target, "/a b c");
  const auto oldest = lines.parse(line("GET /a"));
  ASSERT_TRUE(oldest.ok());
  EXPECT_EQ(oldest->target, "/a");
  const auto star = lines.parse(line("OPTIONS * HTTP/1.1"));
  ASSERT_TRUE(star.ok());
  EXPECT_EQ(star->target, "*");
}

TEST(AccessLog, WhatIsNoRequestIsSaid) {
  EXPECT_THAT(problem(line("-")), HasSubstr("no HTTP request"));
  EXPECT_THAT(problem(line("")), HasSubstr("no HTTP request"));
  EXPECT_THAT(problem(line(R"(\x16\x03\x01 \x02)")), HasSubstr("no HTTP request"));
  EXPECT_THAT(problem(line("GET  HTTP/1.1")), HasSubstr("no HTTP request"));
}

TEST(AccessLog, WhatALineLacksIsSaid) {
  EXPECT_EQ(problem(""), "the line is empty");
  EXPECT_THAT(problem("word"), HasSubstr("no client"));
  EXPECT_THAT(problem(" - - " + stamp), HasSubstr("no client"));
  EXPECT_THAT(problem("198.18.0.1 - - \"GET / HTTP/1.1\" 200 1"), HasSubstr("no time"));
  EXPECT_THAT(problem("198.18.0.1 - - " + stamp), HasSubstr("no request in quotes"));
  EXPECT_THAT(problem("198.18.0.1 - - " + stamp + " \"GET / HTTP/1.1"), HasSubstr("no request"));
  EXPECT_THAT(problem("198.18.0.1 - - " + stamp + " \"GET / HTTP/1.1\\\""),
              HasSubstr("no request"));
}

TEST(AccessLog, AnyBytesAreALineOrAProblem) {
  rc::check([](const std::string& text) {
    Lines lines;
    const auto request = lines.parse(text);
    RC_ASSERT((request.ok() || !request.error().empty()));
  });
}

TEST(AccessLog, ALineWithAnyByteChangedIsALineOrAProblem) {
  const auto whole = line("GET /a\\\"b HTTP/1.1", R"( "r\x41" "agent \\")");
  rc::check([&](std::uint16_t at, char byte) {
    Lines lines;
    auto text = whole;
    text[at % text.size()] = byte;
    const auto request = lines.parse(text);
    RC_ASSERT((request.ok() || !request.error().empty()));
  });
}

/// As Apache writes a field.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c < ' ' || c > '~') {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

TEST(AccessLog, WhatIsLoggedWithEscapesIsReadBack) {
  rc::check([](const std::string& agent, const std::string& path, std::uint32_t second) {
    RC_PRE(agent != "-" && path.find(" HTTP/") == std::string::npos);
    const std::chrono::sys_seconds time{std::chrono::seconds{second}};
    const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(time)};
    const std::chrono::hh_mm_ss clock{time - std::chrono::floor<std::chrono::days>(time)};
    constexpr std::string_view names = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const auto text = fmt::format(
        "::1 - - [{:02}/{}/{:04}:{:02}:{:02}:{:02} +0000] \"GET /{} HTTP/1.1\" 200 - \"-\" \"{}\"",
        static_cast<unsigned>(date.day()), names.substr(unsigned{date.month()} * 3 - 3, 3),
        static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
        clock.seconds().count(), escaped(path), escaped(agent));
    Lines lines;
    const auto request = lines.parse(text);
    RC_ASSERT(request.ok());
    RC_ASSERT(request->time == Time{time});
    RC_ASSERT(request->target == "/" + path);
    RC_ASSERT(request->user_agent == agent);
  });
}

}  // namespace
}  // namespace weir::cli
