// SPDX-License-Identifier: Apache-2.0
#include "rules/path_pattern.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rules/path.hpp"

namespace weir::rules {
namespace {

bool matches(std::string_view pattern, std::string_view target) {
  NormalPath path;
  path.assign(target);
  const auto parsed = PathPattern::parse(pattern);
  EXPECT_TRUE(parsed.ok()) << pattern;
  return parsed->matches(path.segments());
}

std::string fault(std::string_view pattern) {
  const auto parsed = PathPattern::parse(pattern);
  return parsed.ok() ? "none" : parsed.error();
}

TEST(PathPattern, ExactOnesMatchThemselves) {
  EXPECT_TRUE(matches("/", "/"));
  EXPECT_TRUE(matches("/login", "/login"));
  EXPECT_TRUE(matches("/login", "//x/../login;a?b"));
  EXPECT_FALSE(matches("/login", "/Login"));
  EXPECT_FALSE(matches("/login", "/login/x"));
  EXPECT_FALSE(matches("/login", "/"));
  EXPECT_FALSE(matches("/", "/login"));
}

TEST(PathPattern, OneStarIsOneSegment) {
  EXPECT_TRUE(matches("/*", "/a"));
  EXPECT_FALSE(matches("/*", "/"));
  EXPECT_FALSE(matches("/*", "/a/b"));
  EXPECT_TRUE(matches("/v1/*/posts", "/v1/7/posts"));
  EXPECT_FALSE(matches("/v1/*/posts", "/v1/posts"));
  EXPECT_FALSE(matches("/v1/*/posts", "/v1/7/8/posts"));
}

TEST(PathPattern, TwoStarsAreAnyNumberAlsoNone) {
  EXPECT_TRUE(matches("/**", "/"));
  EXPECT_TRUE(matches("/**", "/a/b/c"));
  EXPECT_TRUE(matches("/**", "*"));
  EXPECT_TRUE(matches("/v1/**", "/v1"));
  EXPECT_TRUE(matches("/v1/**", "/v1/a/b"));
  EXPECT_FALSE(matches("/v1/**", "/v10"));
  EXPECT_TRUE(matches("/**/x", "/x"));
  EXPECT_TRUE(matches("/**/x", "/a/x/b/x"));
  EXPECT_FALSE(matches("/**/x", "/x/b"));
  EXPECT_TRUE(matches("/a/**/b/*/c/**", "/a/b/b/1/c"));
  EXPECT_TRUE(matches("/a/**/b/*/c/**", "/a/x/b/y/b/1/c/d/e"));
  EXPECT_FALSE(matches("/a/**/b/*/c/**", "/a/x/b/c"));
}

TEST(PathPattern, ManyStarsCostNoMoreThanTheirProduct) {
  std::string pattern, path;
  for (int i = 0; i < 60; ++i) pattern += "/**/a";
  for (int i = 0; i < 2000; ++i) path += "/a";
  EXPECT_TRUE(matches(pattern, path));
  EXPECT_FALSE(matches(pattern + "/b", path));
}

TEST(PathPattern, WhatCanNeverMatchIsRefusedWithAMend) {
  EXPECT_EQ(fault("login"), "'login': a path begins with a slash; did you mean '/login'?");
  EXPECT_EQ(fault("/login/"),
            "'/login/': can never match: paths are matched in normal form; did you mean '/login'?");
  EXPECT_EQ(fault("/a//b"),
            "'/a//b': can never match: paths are matched in normal form; did you mean '/a/b'?");
  EXPECT_EQ(fault("/a/../b"),
            "'/a/../b': can never match: paths are matched in normal form; did you mean '/b'?");
  EXPECT_EQ(fault("/a?q=1"),
            "'/a?q=1': can never match: paths are matched in normal form; did you mean '/a'?");
  EXPECT_EQ(fault("/a%20b"),
            "'/a%20b': can never match: paths are matched in normal form; did you mean '/a b'?");
  EXPECT_EQ(fault(""), "'': is no path; '/' is the root, '/**' is every path");
  EXPECT_NE(fault("/*.js"), "none");
  EXPECT_NE(fault("/a**"), "none");
  EXPECT_NE(fault("/***"), "none");
  EXPECT_NE(fault("/a/**/**/b"), "none");
  EXPECT_NE(fault("/" + std::string(PathPattern::most_bytes, 'a')), "none");
  EXPECT_EQ(fault("/100%"), "none");
}

TEST(PathPattern, KnowsItsLiteralPrefix) {
  const auto prefix = [](std::string_view text) {
    const auto pattern = PathPattern::parse(text).value();
    return std::string(pattern.literal_prefix()) + " " + std::to_string(pattern.literal_segments());
  };
  EXPECT_EQ(prefix("/"), " 0");
  EXPECT_EQ(prefix("/**"), " 0");
  EXPECT_EQ(prefix("/a/b"), "/a/b 2");
  EXPECT_EQ(prefix("/a/*/b"), "/a 1");
}

/// The definition, word for word, without a thought for cost.
bool matches_by_definition(Segments pattern, Segments path) {
  if (pattern.empty()) return path.empty();
  if (pattern[0] == "**") {
    return matches_by_definition(pattern.subspan(1), path) ||
           (!path.empty() && matches_by_definition(pattern, path.subspan(1)));
  }
  return !path.empty() && (pattern[0] == "*" || pattern[0] == path[0]) &&
         matches_by_definition(pattern.subspan(1), path.subspan(1));
}

std::string joined(const std::vector<std::string>& segments) {
  std::string path;
  for (const auto& segment : segments) path += "/" + segment;
  return path.empty() ? "/" : path;
}

TEST(PathPattern, MatchesByItsDefinition) {
  rc::check([] {
    constexpr int size = 16;  // the definition takes exponential time
    const auto paths = [](auto... segments) {
      return rc::gen::resize(size, rc::gen::container<std::vector<std::string>>(
                                       rc::gen::element<std::string>(segments...)));
    };
    const auto path = joined(*paths("a", "b", "c"));
    const auto text = joined(*paths("a", "b", "*", "**"));
    const auto pattern = PathPattern::parse(text);
    RC_PRE(pattern.ok());
    NormalPath path_parts, pattern_parts;
    path_parts.assign(path);
    pattern_parts.assign(text);
    const bool right = matches_by_definition(pattern_parts.segments(), path_parts.segments());
    RC_ASSERT(pattern->matches(path_parts.segments()) == right);
    if (path.starts_with(pattern->literal_prefix()) &&
        path_parts.segments().size() >= pattern->literal_segments() && right) {
      RC_ASSERT(pattern->matches_rest(path_parts.segments()));
    }
  });
}

}  // namespace
}  // namespace weir::rules
