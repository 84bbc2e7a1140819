// SPDX-License-Identifier: Apache-2.0
// What clients say of themselves: the target, the host, the method and the headers of a request,
// and the addresses of those who passed it on. An input is these, a line each.
#include <array>
#include <cstdlib>
#include <string>

#include "fuzz.hpp"
#include "rules/config.hpp"
#include "rules/path.hpp"

using weir::fuzz::require;
using weir::fuzz::take_line;

namespace {

constexpr std::string_view config = R"(
clients: {trusted_proxies: [10.0.0.0/8, "fd00::/8", unix]}
plans: {by: "header:x-plan", default: free}
rules:
  - {name: health, match: {path: [/healthz, /*/ok]}, exempt: true}
  - name: api
    match: {path: /v1/**, host: ["*.example.com", example.com], header: {x-a: "a*b*c"}}
    key: ["header:x-api-key | cookie:session | query:user | ip", path, route, host, method]
    limits: {free: [10/s], pro: [100/s burst 500]}
  - {name: all, match: {cidr: 0.0.0.0/0}, key: ip, limits: [5/min sliding_log]}
)";

const weir::rules::RuleSet& rules() {
  static const auto loaded = weir::rules::parse_config(config, "fuzz.yaml");
  require(loaded.config.has_value());
  return *loaded.config->rules;
}

/// A target that means exactly this path.
std::string escaped(std::string_view path) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string target;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/') {
      target += c;
    } else {
      ((target += '%') += digits[byte / 16]) += digits[byte % 16];
    }
  }
  return target;
}

void check_path(std::string_view target) {
  weir::rules::NormalPath path;
  path.assign(target);
  require(path.text().starts_with('/'));
  std::string joined;
  for (const auto segment : path.segments()) {
    require(!segment.empty() && segment != "." && segment != "..");
    (joined += '/') += segment;
  }
  require(path.text() == (joined.empty() ? "/" : joined));
  weir::rules::NormalPath again;
  again.assign(escaped(path.text()));
  require(again.text() == path.text());
}

void check_address(std::string_view text) {
  const auto address = weir::rules::Address::parse(text);
  if (!address) return;
  require(weir::rules::Address::parse(address->to_string()) == address);
  for (const unsigned prefix : {0u, 1u, 64u, 127u, 128u}) {
    require(address->cut_to(prefix).cut_to(prefix) == address->cut_to(prefix));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto rest = weir::fuzz::text_of(data, size);
  weir::rules::Request request;
  request.target = take_line(rest);
  request.host = take_line(rest);
  request.method = take_line(rest);
  const auto peer = take_line(rest);
  request.peer = weir::rules::Address::parse(peer);
  const std::array<std::string_view, 6> names{"X-Forwarded-For", "X-Forwarded-For", "Cookie",
                                              "X-Api-Key",       "X-Plan",          "X-A"};
  std::array<weir::rules::Header, names.size()> headers;
  for (std::size_t i = 0; i < names.size(); ++i) headers[i] = {names[i], take_line(rest)};
  request.headers = headers;

  check_path(request.target);
  check_address(peer);
  weir::rules::Match match, again;
  rules().match(request, weir::KeySecret{1, 2}, match);
  rules().match(request, weir::KeySecret{1, 2}, again);
  require(match.verdict == again.verdict && match.keys == again.keys);
  for (const auto& hit : match.hits) require(hit.key < match.keys.size());
  require(!rules().explain(request).empty());
  return 0;
}
