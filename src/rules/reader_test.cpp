// SPDX-License-Identifier: Apache-2.0
#include "rules/reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace weir::rules {
namespace {

using namespace std::chrono_literals;

/// Reads one text: what came of it, and the problems.
class ReaderTest : public testing::Test {
 protected:
  /// The root of a text as a value called `x`.
  Value value(std::string_view yaml) {
    document_ = Document::parse(yaml, problems_);
    EXPECT_TRUE(document_) << yaml;
    const Node& root = document_->root();
    return {&root, {root.line, root.column, "x"}};
  }

  /// The problems since the last call, a line each.
  std::string told() {
    std::string text;
    for (const auto& problem : problems_.take()) text += problem.to_string() + "\n";
    problems_ = Problems("f");
    return text;
  }

  Problems problems_{"f"};
  Reader reader_{problems_};

 private:
  std::optional<Document> document_;
};

TEST_F(ReaderTest, Texts) {
  EXPECT_EQ(reader_.text(value("abc"), "a word"), "abc");
  EXPECT_EQ(told(), "");
  EXPECT_FALSE(reader_.text(value("''"), "a word"));
  EXPECT_EQ(told(), "f:1:1: x: is an empty text; a word is wanted\n");
  EXPECT_FALSE(reader_.text(value("[a]"), "a word"));
  EXPECT_EQ(told(), "f:1:1: x: is a list; a word is wanted\n");
  EXPECT_FALSE(reader_.text(value("{a: b}"), "a word"));
  EXPECT_EQ(told(), "f:1:1: x: is a mapping; a word is wanted\n");
}

TEST_F(ReaderTest, Choices) {
  constexpr std::array<std::string_view, 3> names{"evict", "share", "deny"};
  EXPECT_EQ(reader_.choice(value("share"), names), 1u);
  EXPECT_FALSE(reader_.choice(value("shrae"), names));
  EXPECT_EQ(told(),
            "f:1:1: x: 'shrae': one of evict, share, deny is wanted; did you mean 'share'?\n");
  EXPECT_FALSE(reader_.choice(value("anything"), names));
  EXPECT_EQ(told(), "f:1:1: x: 'anything': one of evict, share, deny is wanted\n");
}

TEST_F(ReaderTest, TrueAndFalseHaveOneSpelling) {
  EXPECT_EQ(reader_.boolean(value("true")), true);
  EXPECT_EQ(reader_.boolean(value("false")), false);
  EXPECT_EQ(told(), "");
  for (const auto* word : {"yes", "on", "True", "TRUE", "1"}) {
    EXPECT_FALSE(reader_.boolean(value(word))) << word;
    EXPECT_NE(told().find("did you mean 'true'?"), std::string::npos) << word;
  }
  for (const auto* word : {"no", "off", "False", "0"}) {
    EXPECT_FALSE(reader_.boolean(value(word))) << word;
    EXPECT_NE(told().find("did you mean 'false'?"), std::string::npos) << word;
  }
}

TEST_F(ReaderTest, Numbers) {
  EXPECT_EQ(reader_.number(value("0"), {0, 9}), 0u);
  EXPECT_EQ(reader_.number(value("9"), {0, 9}), 9u);
  EXPECT_EQ(reader_.number(value("18446744073709551615"), {0, ~std::uint64_t{0}}),
            ~std::uint64_t{0});
  EXPECT_EQ(told(), "");
  for (const auto* word : {"10", "-1", "+1", "1.0", "1e1", "0x1", "' 1'", "1_000", "a", "1a",
                           "18446744073709551616"}) {
    EXPECT_FALSE(reader_.number(value(word), {0, 9})) << word;
    EXPECT_NE(told().find("a whole number from 0 to 9 is wanted"), std::string::npos) << word;
  }
}

TEST_F(ReaderTest, Durations) {
  EXPECT_EQ(reader_.duration(value("250ms"), {1ms, 1h}), 250ms);
  EXPECT_EQ(reader_.duration(value("1h"), {1ms, 1h}), 1h);
  EXPECT_EQ(reader_.duration(value("0s"), {0s, 1h}), 0s);
  EXPECT_EQ(told(), "");
  EXPECT_FALSE(reader_.duration(value("2h"), {1ms, 1h}));
  EXPECT_EQ(told(), "f:1:1: x: '2h': a duration from 1ms to 1h is wanted\n");
  EXPECT_FALSE(reader_.duration(value("0s"), {1ms, 1h}));
  EXPECT_EQ(told(), "f:1:1: x: '0s': a duration from 1ms to 1h is wanted\n");
  EXPECT_FALSE(reader_.duration(value("5"), {1ms, 1h}));
  EXPECT_EQ(told(), "f:1:1: x: '5': a unit is missing; write '5s'\n");
}

TEST_F(ReaderTest, Sizes) {
  constexpr Reader::Range any{0, ~std::uint64_t{0}};
  EXPECT_EQ(reader_.bytes(value("10B"), any), 10u);
  EXPECT_EQ(reader_.bytes(value("3KiB"), any), 3u << 10);
  EXPECT_EQ(reader_.bytes(value("256MiB"), any), 256u << 20);
  EXPECT_EQ(reader_.bytes(value("2 GiB"), any), std::uint64_t{2} << 30);
  EXPECT_EQ(reader_.bytes(value("1TiB"), any), std::uint64_t{1} << 40);
  EXPECT_EQ(reader_.bytes(value("5kB"), any), 5'000u);
  EXPECT_EQ(reader_.bytes(value("5GB"), any), 5'000'000'000u);
  EXPECT_EQ(told(), "");
}

TEST_F(ReaderTest, SizesThatAreNone) {
  const auto mend = [this](std::string_view word) {
    EXPECT_FALSE(reader_.bytes(value(word), {0, ~std::uint64_t{0}})) << word;
    const auto text = told();
    const auto at = text.find("; did you mean");
    return at == text.npos ? std::string("none") : text.substr(at + 2, text.size() - at - 3);
  };
  EXPECT_EQ(mend("256mib"), "did you mean 'MiB'?");
  EXPECT_EQ(mend("256M"), "did you mean 'MiB'?");
  EXPECT_EQ(mend("1gigabyte"), "did you mean 'GiB'?");
  EXPECT_EQ(mend("1KB"), "did you mean 'kB'?");
  EXPECT_EQ(mend("256"), "none");
  EXPECT_EQ(mend("MiB"), "none");
  EXPECT_EQ(mend("-1MiB"), "none");
  EXPECT_EQ(mend("1.5GiB"), "none");
  EXPECT_EQ(mend("20000000TiB"), "none") << "more than can be counted";
}

TEST_F(ReaderTest, SizesHaveBounds) {
  EXPECT_FALSE(reader_.bytes(value("1KiB"), {64 << 10, 1 << 20}));
  EXPECT_EQ(told(), "f:1:1: x: '1KiB': a size from 64KiB to 1MiB is wanted\n");
}

TEST_F(ReaderTest, ItemsOfAListOrOneAlone) {
  const auto places = [](const std::vector<Value>& items) {
    std::string text;
    for (const auto& item : items) {
      text += item.place.field + "@" + std::to_string(item.place.column) + " ";
    }
    return text;
  };
  EXPECT_EQ(places(reader_.items(value("[a, b]"), 9)), "x[0]@2 x[1]@5 ");
  EXPECT_EQ(places(reader_.items(value("a"), 9)), "x@1 ");
  EXPECT_EQ(places(reader_.items(value("{a: b}"), 9)), "x@1 ");
  EXPECT_EQ(told(), "");
  EXPECT_EQ(places(reader_.items(value("[a, b, c]"), 2)), "x[0]@2 x[1]@5 ");
  EXPECT_EQ(told(), "f:1:1: x: has 3 items; at most 2 are allowed\n");
  EXPECT_TRUE(reader_.items(value("[]"), 2, Reader::EmptyList::allowed).empty());
  EXPECT_EQ(told(), "");
  EXPECT_TRUE(reader_.items(value("[]"), 2).empty());
  EXPECT_EQ(told(), "f:1:1: x: is an empty list\n");
}

TEST_F(ReaderTest, EntriesHaveEachKeyOnce) {
  const auto entries = reader_.entries(value("{a: 1, b: 2, a: 3}"), "a mapping");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].value.node->text, "1") << "the first counts";
  EXPECT_EQ(entries[1].value.place.field, "x.b");
  EXPECT_EQ(told(), "f:1:14: x.a: stands here a second time; the first is at 1:2\n");
}

TEST_F(ReaderTest, Names) {
  for (const auto* name : {"a", "per-client", "a b", "5xx", "~!\"{}"}) {
    EXPECT_TRUE(reader_.check_name(value("x"), name)) << name;
  }
  EXPECT_TRUE(reader_.check_name(value("x"), std::string(64, 'a')));
  EXPECT_EQ(told(), "");
  for (const std::string name : {"", " a", "a ", "a\tb", "a\nb", "größe", "\x7f"}) {
    EXPECT_FALSE(reader_.check_name(value("x"), name)) << name;
    EXPECT_NE(told(), "");
  }
  EXPECT_FALSE(reader_.check_name(value("x"), std::string(65, 'a')));
}

TEST_F(ReaderTest, SectionsKnowTheirKeys) {
  const Section section(reader_, value("{size: 1, szie: 2, other: 3, empty: }"),
                        {"size", "empty", "file"});
  ASSERT_NE(section.find("size"), nullptr);
  EXPECT_EQ(section.find("size")->node->text, "1");
  EXPECT_EQ(section.find("file"), nullptr);
  EXPECT_EQ(section.find("empty"), nullptr);
  EXPECT_TRUE(section.has_faults());
  EXPECT_EQ(told(),
            "f:1:11: x.szie: unknown key; did you mean 'size'?\n"
            "f:1:20: x.other: unknown key; known here: size, empty, file\n"
            "f:1:30: x.empty: nothing stands behind this key\n");
  EXPECT_FALSE(Section(reader_, value("{size: 1}"), {"size"}).has_faults());
}

TEST(Problems, StandInTheOrderOfTheFile) {
  Problems problems("f");
  problems.error({2, 5, "b"}, "second");
  problems.error_in("other", {1, 1, ""}, "in another file");
  problems.warning({2, 1, "a"}, "first");
  problems.error({3, 1, "c"}, "third");
  problems.error({2, 5, "b"}, "second too");
  std::string text;
  for (const auto& problem : problems.take()) text += problem.to_string() + "\n";
  EXPECT_EQ(text,
            "f:2:1: warning: a: first\nf:2:5: b: second\nf:2:5: b: second too\n"
            "f:3:1: c: third\nother:1:1: in another file\n");
}

}  // namespace
}  // namespace weir::rules
