// SPDX-License-Identifier: Apache-2.0
#include "rules/path.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fmt/format.h>

namespace weir::rules {
namespace {

std::string normal(std::string_view target) {
  NormalPath path;
  path.assign(target);
  return std::string(path.text());
}

bool written_so(std::string_view target) {
  NormalPath path;
  path.assign(target);
  return path.written_so();
}

TEST(NormalPath, HasOneSpellingForEachPath) {
  for (const auto* target : {"/a/b",
                             "/a/b/",
                             "/a/b?q",
                             "/a/b/?q=/../x",
                             "/a/b#f",
                             "/a/b#f?q",
                             "/a/b?q#f",
                             "//a//b//",
                             "/a/./b",
                             "/./a/b/.",
                             "/a/x/../b",
                             "/x/../a/b",
                             "/../a/b",
                             "/../../a/b",
                             "/a/b/x/..",
                             "/%61/b",
                             "/%61%2Fb",
                             "/a%2fb",
                             "/a\\b",
                             "\\a\\b",
                             "/a%5Cb",
                             "/a;v=1/b",
                             "/a/b;jsessionid=1",
                             "/a/b/;x",
                             "/a/;x/b",
                             "/a%3Bv/b",
                             "/x/..;/a/b",
                             "/x/%2e%2e/a/b",
                             "/x/.%2E/a/b",
                             "/x/%2e%2e;p/a/b",
                             "/a/%2e/b",
                             "http://example.com/a/b",
                             "HTTP://u:p@example.com:80//a/b?q",
                             "http://example.com\\a/b",
                             "a/b"}) {
    EXPECT_EQ(normal(target), "/a/b") << target;
  }
}

TEST(NormalPath, KnowsItsEdges) {
  EXPECT_EQ(normal(""), "/");
  EXPECT_EQ(normal("/"), "/");
  EXPECT_EQ(normal("//"), "/");
  EXPECT_EQ(normal("?q"), "/");
  EXPECT_EQ(normal("/.."), "/");
  EXPECT_EQ(normal("/../.."), "/");
  EXPECT_EQ(normal("*"), "/*") << "OPTIONS *";
  EXPECT_EQ(normal("example.com:443"), "/example.com:443") << "CONNECT";
  EXPECT_EQ(normal("http://example.com"), "/");
  EXPECT_EQ(normal("http://example.com?q=/a"), "/");
  EXPECT_EQ(normal("/http://a"), "/http:/a");
  EXPECT_EQ(normal("/..."), "/...") << "three dots are a name";
  EXPECT_EQ(normal("/.a/..b"), "/.a/..b");
}

TEST(NormalPath, DecodesEscapesOnceAndKeepsBytes) {
  EXPECT_EQ(normal("/%252e%252e/a"), "/%2e%2e/a");
  EXPECT_EQ(normal("/%252Fa"), "/%2Fa");
  EXPECT_EQ(normal("/100%"), "/100%");
  EXPECT_EQ(normal("/%4"), "/%4");
  EXPECT_EQ(normal("/%zz%4g"), "/%zz%4g");
  EXPECT_EQ(normal("/%%341"), "/%41");
  EXPECT_EQ(normal("/a%3Fq%23f"), "/a?q#f") << "these are part of the name";
  EXPECT_EQ(normal("/a%00b"), std::string("/a\0b", 4));
  EXPECT_EQ(normal("/a%C0%AFb"),
            "/a\xC0\xAF"
            "b")
      << "an overlong slash is no slash";
  EXPECT_EQ(normal("/A%20b+c"), "/A b+c");
}

TEST(NormalPath, SegmentsAreItsText) {
  NormalPath path;
  path.assign("/a//b;x/%63/");
  EXPECT_EQ(path.segments(), (std::vector<std::string_view>{"a", "b", "c"}));
  path.assign("/");
  EXPECT_TRUE(path.segments().empty());
}

TEST(NormalPath, ToldApartFromOtherSpellings) {
  for (const auto* target : {"/", "/?q", "/a", "/a/", "/a?q=//", "/a/?q", "/a/b/", "/a+b"}) {
    EXPECT_TRUE(written_so(target)) << target;
  }
  for (const auto* target :
       {"", "?q", "a", "*", "//", "/a//", "//a", "/./a", "/a/.", "/%61", "/a;x", "/a\\", "/x/../a",
        "/a#f", "/a%20b", "http://h/a", "http://h", "/a/;"}) {
    EXPECT_FALSE(written_so(target)) << target;
  }
}

TEST(NormalPath, OtherPartsOfATarget) {
  EXPECT_EQ(query_of("/a?b=c?d#e?f"), "b=c?d");
  EXPECT_EQ(query_of("/a#b?c"), "");
  EXPECT_EQ(query_of("/a"), "");
  EXPECT_EQ(query_of("http://h?x"), "x");
  EXPECT_EQ(authority_of("http://example.com:80/a"), "example.com:80");
  EXPECT_EQ(authority_of("http://a@b@example.com?q"), "example.com");
  EXPECT_EQ(authority_of("http://"), "");
  EXPECT_EQ(authority_of("/http://a"), "");
  EXPECT_EQ(authority_of("//a/b"), "");
  EXPECT_EQ(authority_of("host:80"), "");
}

std::string host(std::string_view text) {
  std::string result;
  append_normal_host(text, result);
  return result;
}

TEST(NormalHost, B67_SpellingsOfAHostShareOneKey) {
  for (const auto* text :
       {"example.com", "Example.COM", "Example.COM.", "example.com:80", "EXAMPLE.com.:8080"}) {
    EXPECT_EQ(host(text), "example.com") << text;
  }
  EXPECT_EQ(host("[2001:DB8::1]:80"), "[2001:db8::1]");
  EXPECT_EQ(host("[2001:db8::1]"), "[2001:db8::1]");
  EXPECT_EQ(host(""), "");
  EXPECT_EQ(host(":80"), "");
}

/// Targets out of the pieces that spellings are made of.
rc::Gen<std::string> any_target() {
  const auto piece = rc::gen::element<std::string>(
      "/", "/", "//", "a", "b", "admin", ".", "..", "%2e", "%2F", "%5c", "\\", ";", ";x=1", "%3b",
      "%", "%25", "%252e", "%00", "?", "#", "%3f", "*", "http://h", "\xff", " ");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string target;
                        for (const auto& each : pieces) target += each;
                        return target;
                      });
}

/// A target that means exactly this path.
std::string escaped(std::string_view path) {
  std::string result;
  for (const char c : path) {
    const bool plain =
        c == '/' || c == '.' || c == '*' || std::isalnum(static_cast<unsigned char>(c));
    if (plain) {
      result += c;
    } else {
      result += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

TEST(NormalPath, IsNormalItself) {
  rc::check([] {
    const auto target = *any_target();
    const auto path = normal(target);
    RC_ASSERT(normal(escaped(path)) == path);
  });
}

TEST(NormalPath, HasNothingLeftToResolve) {
  rc::check([] {
    NormalPath path;
    path.assign(*any_target());
    const auto text = path.text();
    RC_ASSERT(text.starts_with('/'));
    RC_ASSERT(text.size() == 1 || !text.ends_with('/'));
    RC_ASSERT(text.find_first_of("\\;") == text.npos);
    for (const auto segment : path.segments()) {
      RC_ASSERT(!segment.empty() && segment != "." && segment != "..");
    }
  });
}

/// Another spelling of the path, by what the normal form undoes.
std::string respelled(const std::vector<std::string_view>& segments) {
  std::string target;
  for (const auto segment : segments) {
    target +=
        *rc::gen::element<std::string>("/", "//", "/./", "/x/../", "\\", "%2f", "/;v/", "/y/%2E./");
    for (const char c : segment) {
      target += *rc::gen::arbitrary<bool>() ? fmt::format("%{:02X}", static_cast<unsigned char>(c))
                                            : escaped({&c, 1});
    }
    target += *rc::gen::element<std::string>("", "", ";jsessionid=1", "%3b");
  }
  return target + *rc::gen::element<std::string>("", "/", "//", "/.", "?q=/x", "#f", "/z/..", ";");
}

TEST(NormalPath, NoSpellingEscapes) {
  rc::check([] {
    NormalPath path;
    path.assign(*any_target());
    const auto target = respelled(path.segments());
    RC_ASSERT(normal(target) == path.text());
  });
}

}  // namespace
}  // namespace weir::rules
