// SPDX-License-Identifier: Apache-2.0
#include "cli/argument_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "front/listener.hpp"
#include "limit/text.hpp"
#include "redis/options.hpp"
#include "rules/problems.hpp"
#include "rules/text.hpp"
#include "store/table.hpp"

namespace weir::cli {

namespace {

Error unlike(std::string_view text, std::string_view example) {
  return Error{fmt::format("'{}' is not like '{}'", rules::shown(text), example)};
}

}  // namespace

Result<RequestLine> read_request_line(std::string_view text) {
  std::string_view rest = rules::trimmed(text);
  const auto method = rules::cut_first(rest, ' ');
  const auto target = rules::trimmed(rest.substr(0, rest.find(" HTTP/")));
  if (!rules::is_token(method) || target.empty()) return unlike(text, "GET /v1/x");
  return RequestLine{std::string(method), std::string(target)};
}

Result<ExplainOptions::Header> read_header(std::string_view text) {
  const auto colon = text.find(':');
  const auto name = rules::trimmed(text.substr(0, colon));
  if (colon == text.npos || !rules::is_token(name)) return unlike(text, "name: value");
  return ExplainOptions::Header{std::string(name),
                                std::string(rules::trimmed(text.substr(colon + 1)))};
}

Result<rules::Address> read_address(std::string_view text) {
  if (const auto address = rules::Address::parse(text)) return *address;
  return unlike(text, "198.18.0.1");
}

std::string endpoint_fault(const std::string& text) {
  const auto endpoint = front::Endpoint::parse(text);
  return endpoint.ok() ? std::string{} : endpoint.error();
}

std::string store_fault(const std::string& url) {
  if (url == "memory") return {};
  const auto options = redis::parse_url(url);
  return options.ok() ? std::string{} : options.error();
}

std::string whole_number_fault(const std::string& text) {
  const bool digits = !text.empty() && std::ranges::all_of(text, rules::is_digit);
  return digits ? std::string{} : fmt::format("'{}' is not a whole number", rules::shown(text));
}

std::string size_fault(const std::string& bytes) {
  constexpr std::uint64_t least = store::TableOptions::least_memory_bytes;
  constexpr std::uint64_t most = std::uint64_t{256} << 30;
  std::uint64_t size = 0;
  const auto read = std::from_chars(bytes.data(), bytes.data() + bytes.size(), size);
  const bool within = read.ec == std::errc{} && size >= least && size <= most;
  return within ? std::string{} : "a size is from 128KiB to 256GiB";
}

std::string tell_unknown(const UnknownWord& unknown, const std::vector<std::string>& known) {
  auto bare = unknown.word;
  while (bare.starts_with('-')) bare.remove_prefix(1);
  const std::vector<std::string_view> names(known.begin(), known.end());
  auto mend = did_you_mean(bare, names);
  if (!mend.empty()) mend.insert(mend.find('\'') + 1, unknown.prefix);
  return fmt::format("unknown {} '{}'{}", unknown.kind, rules::shown(unknown.word), mend);
}

}  // namespace weir::cli
