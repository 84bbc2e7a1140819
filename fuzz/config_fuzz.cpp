// SPDX-License-Identifier: Apache-2.0
// A configuration from anybody: it is taken, or each of its faults has a place within the text.
// What is taken answers a request.
#include <algorithm>
#include <array>
#include <string>

#include "fuzz.hpp"
#include "rules/config.hpp"

using weir::fuzz::require;

namespace {

void ask(const weir::rules::RuleSet& rules) {
  constexpr std::array<weir::rules::Header, 2> headers{
      {{"X-Api-Key", "key-1"}, {"Cookie", "session=a; user=b"}}};
  weir::rules::Request request;
  request.method = "GET";
  request.host = "example.com";
  request.target = "/v1/x?user=1";
  request.headers = headers;
  request.client = weir::rules::Address::parse("198.18.0.1");
  weir::rules::Match match;
  rules.match(request, weir::KeySecret{1, 2}, match);
  for (const auto& hit : match.hits) require(hit.limit != nullptr && hit.key < match.keys.size());
  require(!rules.explain(request).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = weir::fuzz::text_of(data, size);
  if (text.find("file") != text.npos) return 0;  // plans may be read from a file, of any name
  const auto loaded = weir::rules::parse_config(text, "fuzz.yaml");
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  bool has_error = false;
  for (const auto& problem : loaded.problems) {
    has_error |= !problem.warning;
    require(problem.line >= 0 && problem.line <= lines && !problem.text.empty());
    require(problem.to_string().starts_with("fuzz.yaml:"));
  }
  require(has_error != loaded.config.has_value());
  if (loaded.config) ask(*loaded.config->rules);
  return 0;
}
