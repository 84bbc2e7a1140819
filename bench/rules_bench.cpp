// SPDX-License-Identifier: Apache-2.0
// Matching a request against rules: what it costs as their number grows. The base that it is held
// against compares the path with every rule's pattern by fnmatch(3), and does nothing else.
#include <benchmark/benchmark.h>
#include <fnmatch.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "rules/config.hpp"

namespace weir::rules {
namespace {

/// The paths of `count` rules of an API: a third of them exact.
std::vector<std::string> patterns_of(std::size_t count) {
  std::vector<std::string> patterns;
  for (std::size_t at = 0; at < count; ++at) {
    const auto resource = "/v1/resource" + std::to_string(at);
    patterns.push_back(at % 3 == 0 ? resource : resource + (at % 3 == 1 ? "/*/items" : "/**"));
  }
  return patterns;
}

std::shared_ptr<const RuleSet> rules_of(const std::vector<std::string>& patterns) {
  std::string yaml =
      "rules:\n"
      "  - {name: health, match: {path: /healthz}, exempt: true}\n"
      "  - {name: everyone, key: ip, limits: [1000/s]}\n";
  for (std::size_t at = 0; at < patterns.size(); ++at) {
    yaml += "  - {name: r" + std::to_string(at) + ", match: {path: " + patterns[at] +
            "}, key: 'header:x-api-key | ip', limits: [100/s, 5000/day]}\n";
  }
  const auto loaded = parse_config(yaml, "bench.yaml");
  if (!loaded.config) throw std::runtime_error(loaded.problems.front().to_string());
  return loaded.config->rules;
}

constexpr std::array<Header, 12> headers{{{"Host", "api.example.com"},
                                          {"User-Agent", "curl/7.88.1"},
                                          {"Accept", "*/*"},
                                          {"Accept-Encoding", "gzip, deflate, br"},
                                          {"Accept-Language", "en-GB,en;q=0.5"},
                                          {"Content-Type", "application/json"},
                                          {"Content-Length", "42"},
                                          {"Cookie", "session=0123456789abcdef; theme=dark"},
                                          {"X-Forwarded-For", "198.51.100.7"},
                                          {"X-Forwarded-Proto", "https"},
                                          {"X-Request-Id", "6f1d7a52-6d0e-4a9c-9df6-0d9f3b8a7c11"},
                                          {"X-Api-Key", "k-0123456789abcdef"}}};

Request request_for(std::string_view target) {
  Request request;
  request.method = "GET";
  request.host = "api.example.com";
  request.target = target;
  request.headers = headers;
  request.client = Address::parse("198.51.100.7");
  return request;
}

void match(benchmark::State& run, std::string_view target, std::size_t hits) {
  const auto rules = rules_of(patterns_of(static_cast<std::size_t>(run.range(0))));
  const auto request = request_for(target);
  Match match;
  for (auto _ : run) {
    rules->match(request, KeySecret{1, 2}, match);
    benchmark::DoNotOptimize(match.hits.data());
  }
  if (match.hits.size() != hits) run.SkipWithError("other rules matched than are measured");
}

void fnmatch_each(benchmark::State& run, const std::string& path) {
  const auto patterns = patterns_of(static_cast<std::size_t>(run.range(0)));
  for (auto _ : run) {
    int found = 0;
    for (const auto& pattern : patterns) found += fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
    benchmark::DoNotOptimize(found);
  }
}

void counts(benchmark::internal::Benchmark* run) { run->Arg(3)->Arg(30)->Arg(300)->Arg(3000); }

BENCHMARK_CAPTURE(match, exempt, "/healthz", 0)->Apply(counts);
BENCHMARK_CAPTURE(match, exact, "/v1/resource0", 3)->Apply(counts);
BENCHMARK_CAPTURE(match, pattern, "/v1/resource1/4711/items?page=2", 3)->Apply(counts);
BENCHMARK_CAPTURE(match, crooked, "/v1//x/../resource2/%34711/items", 3)->Apply(counts);
BENCHMARK_CAPTURE(match, none, "/other/path", 1)->Apply(counts);
BENCHMARK_CAPTURE(fnmatch_each, base, "/v1/resource1/4711/items")->Apply(counts);

}  // namespace
}  // namespace weir::rules
