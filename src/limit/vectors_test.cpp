// SPDX-License-Identifier: Apache-2.0
// The reference vectors, straight through the steps: every field of every decision, to the
// nanosecond. test/data/vectors/README.md says what the files hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "limit/test_counter.hpp"
#include "limit/text.hpp"

namespace weir {
namespace {

// The text of a field of a flat JSON object, as `json.dumps` writes it; empty where there is none.
std::string_view field(std::string_view line, const std::string& name) {
  const std::string label = "\"" + name + "\": ";
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + label.size());
  if (rest.front() == '"') return rest.substr(1, rest.find('"', 1) - 1);
  return rest.substr(0, rest.find_first_of(",}"));
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc{} && end == text.data() + text.size()) << text;
  return value;
}

Duration nanoseconds(std::string_view text) {
  return text == "null" ? never : Duration{static_cast<std::int64_t>(number(text))};
}

Limit limit_of(std::string_view line) {
  LimitParts parts{.rate = {number(field(line, "limit")), nanoseconds(field(line, "period_ns"))},
                   .burst = {},
                   .algorithm = parse_algorithm(field(line, "algorithm")).value()};
  if (!field(line, "burst").empty()) parts.burst = number(field(line, "burst"));
  return make_limit(parts).value();
}

Decision expected_decision(std::string_view line, const Limit& limit) {
  Decision decision;
  decision.allowed = field(line, "allowed") == "true";
  decision.limit = limit.count();
  decision.capacity = limit.capacity();
  decision.remaining = number(field(line, "remaining"));
  decision.retry_after = nanoseconds(field(line, "retry_after"));
  decision.reset_after = nanoseconds(field(line, "reset_after"));
  decision.delay = nanoseconds(field(line, "delay"));
  return decision;
}

std::vector<std::filesystem::path> vector_files() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = std::filesystem::path(WEIR_TEST_DATA) / "vectors";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST(Vectors, AllFilesAreThere) { EXPECT_EQ(vector_files().size(), 168u); }

class Vectors : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Vectors, EveryDecisionIsExact) {
  std::ifstream file(GetParam());
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  const Limit limit = limit_of(line);
  std::map<std::string, TestCounter> counters;
  Time now{};
  int events = 0;
  while (std::getline(file, line)) {
    now = std::max(now, Time{nanoseconds(field(line, "t"))});
    const Verb verb = field(line, "force") == "true" ? Verb::debit : Verb::acquire;
    auto& counter = counters.try_emplace(std::string(field(line, "key")), limit).first->second;
    const Decision decision = counter.step(verb, number(field(line, "cost")), now);
    ASSERT_EQ(decision, expected_decision(line, limit)) << line;
    ++events;
  }
  EXPECT_GT(events, 100);
}

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name =
      info.param.parent_path().filename().string() + "_" + info.param.stem().string();
  std::ranges::replace_if(
      name, [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Vectors, testing::ValuesIn(vector_files()), test_name);

}  // namespace

}  // namespace weir
