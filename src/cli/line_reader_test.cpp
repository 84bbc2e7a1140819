// SPDX-License-Identifier: Apache-2.0
#include "cli/line_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace weir::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

class LineReaderTest : public testing::Test {
 protected:
  LineReaderTest() {
    std::string pattern = (fs::temp_directory_path() / "weir-lines-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~LineReaderTest() override { fs::remove_all(folder); }

  std::string file(const std::string& bytes) {
    const auto path = (folder / "input").string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  /// All lines of a file with these bytes; `error` is what the reader said at its end.
  std::vector<std::string> lines(const std::string& bytes) {
    auto reader = LineReader::open(file(bytes));
    EXPECT_TRUE(reader.ok());
    std::vector<std::string> result;
    while (const auto line = reader->next()) {
      EXPECT_EQ(line->number, result.size() + 1);
      result.emplace_back(line->too_long ? "(too long)" : line->text);
    }
    error = reader->error();
    return result;
  }

  fs::path folder;
  std::string error;
};

TEST_F(LineReaderTest, LinesComeWithoutTheirEnds) {
  EXPECT_THAT(lines("one\ntwo\r\n\nfour"), ElementsAre("one", "two", "", "four"));
  EXPECT_EQ(error, "");
}

TEST_F(LineReaderTest, AnEmptyFileHasNoLines) {
  EXPECT_THAT(lines(""), ElementsAre());
  EXPECT_THAT(lines("\n"), ElementsAre(""));
  EXPECT_THAT(lines("x"), ElementsAre("x"));
}

TEST_F(LineReaderTest, AFileThatIsNotThereIsAnErrorThatNamesIt) {
  const auto reader = LineReader::open((folder / "absent").string());
  ASSERT_FALSE(reader.ok());
  EXPECT_THAT(reader.error(), HasSubstr("absent: cannot be opened: No such file"));
}

TEST_F(LineReaderTest, AFolderIsAnError) {
  auto reader = LineReader::open(folder.string());
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader->next());
  EXPECT_THAT(reader->error(), HasSubstr("directory"));
}

TEST_F(LineReaderTest, AGzipFileIsUnpacked) {
  EXPECT_THAT(lines(gzipped("one\ntwo\n")), ElementsAre("one", "two"));
}

TEST_F(LineReaderTest, GzipMembersBehindEachOtherAreOneText) {
  EXPECT_THAT(lines(gzipped("one\nt") + gzipped("") + gzipped("wo\n")), ElementsAre("one", "two"));
  EXPECT_EQ(error, "");
}

TEST_F(LineReaderTest, AGzipFileThatEndsEarlyGivesItsLinesAndSaysSo) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919) + "\n";
  const auto packed = gzipped(text);
  const auto whole = lines(packed);
  const auto part = lines(packed.substr(0, packed.size() / 2));
  EXPECT_THAT(error, HasSubstr("end early"));
  ASSERT_GT(part.size(), 1000u);
  ASSERT_LT(part.size(), whole.size());
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
}

TEST_F(LineReaderTest, DamagedGzipDataAreAnError) {
  auto packed = gzipped("one\ntwo\nthree\n");
  packed[packed.size() - 6] ^= 1;  // in the checksum
  EXPECT_THAT(lines(packed), testing::SizeIs(testing::Le(3u)));
  EXPECT_THAT(error, HasSubstr("damaged"));
}

TEST_F(LineReaderTest, ALineThatIsTooLongIsToldAndPassedOver) {
  const std::string most(LineReader::longest_line, 'x');
  EXPECT_THAT(lines("a\n" + most + "\nb\n"), ElementsAre("a", most, "b"));
  EXPECT_THAT(lines("a\n" + most + "y\nb\n"), ElementsAre("a", "(too long)", "b"));
  EXPECT_THAT(lines(most + most + most + "\nb"), ElementsAre("(too long)", "b"));
  EXPECT_THAT(lines("a\n" + most + most), ElementsAre("a", "(too long)"));
}

TEST_F(LineReaderTest, WhatIsHereAlreadyIsTold) {
  auto reader = LineReader::open(file("one\ntwo\nthree"));
  EXPECT_FALSE(reader->has_line());
  ASSERT_TRUE(reader->next());
  EXPECT_TRUE(reader->has_line());
  ASSERT_TRUE(reader->next());
  EXPECT_FALSE(reader->has_line()) << "the last line has no end yet";
}

TEST_F(LineReaderTest, AnyLinesComeBackAsTheyWere) {
  rc::check([&](const std::vector<std::uint16_t>& sizes, bool packed) {
    std::vector<std::string> written;
    std::string text;
    for (const auto size : sizes) {
      written.emplace_back(size, static_cast<char>('a' + written.size() % 26));
      text += written.back() + "\n";
    }
    RC_ASSERT(lines(packed ? gzipped(text) : text) == written);
    RC_ASSERT(error.empty());
  });
}

}  // namespace
}  // namespace weir::cli
