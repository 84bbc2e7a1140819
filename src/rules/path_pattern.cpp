// SPDX-License-Identifier: Apache-2.0
#include "rules/path_pattern.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rules/path.hpp"
#include "rules/text.hpp"

namespace weir::rules {

namespace {

Error error(std::string_view pattern, std::string_view why) {
  return {fmt::format("'{}': {}", pattern, why)};
}

/// Why `segment` cannot stand in a pattern; empty where it can.
std::string_view fault_of(std::string_view segment, std::string_view before) {
  if (segment == "**") {
    return before == "**"
               ? "one '**' is any number of segments: a second one beside it adds nothing"
               : "";
  }
  if (segment != "*" && segment.find('*') != segment.npos) {
    return "'*' stands for one whole segment and '**' for any number of them; no part of a segment";
  }
  return "";
}

}  // namespace

Result<PathPattern> PathPattern::parse(std::string_view text) {
  if (text.empty()) return error(text, "is no path; '/' is the root, '/**' is every path");
  if (text.size() > most_bytes) {
    return Error{
        fmt::format("a path pattern of {} bytes; at most {} are allowed", text.size(), most_bytes)};
  }
  if (text[0] != '/') {
    return error(text, fmt::format("a path begins with a slash; did you mean '/{}'?", text));
  }
  NormalPath normal;
  normal.assign(text);
  if (normal.text() != text) {
    return error(
        text, fmt::format("can never match: paths are matched in normal form; did you mean '{}'?",
                          normal.text()));
  }
  PathPattern pattern;
  pattern.text_ = text;
  std::string_view before;
  for (const auto segment : normal.segments()) {
    if (const auto fault = fault_of(segment, before); !fault.empty()) return error(text, fault);
    pattern.add(segment);
    before = segment;
  }
  return pattern;
}

void PathPattern::add(std::string_view segment) {
  const Kind kind = segment == "*" ? Kind::one : segment == "**" ? Kind::any : Kind::literal;
  if (kind == Kind::literal && prefix_segments_ == parts_.size()) {
    ++prefix_segments_;
    prefix_bytes_ += segment.size() + 1;
  }
  parts_.push_back({kind, std::string(segment)});
}

/// Walks both lists at once. At a dead end the latest `**` takes one segment more: earlier ones
/// need not be tried again, since whatever they left to the latest one it can take itself.
bool PathPattern::matches_behind_prefix(Segments path, std::size_t known) const noexcept {
  std::size_t at = known;
  std::size_t part = known;
  std::size_t retry_part = parts_.size() + 1;
  std::size_t retry_at = 0;
  while (at < path.size() || part < parts_.size()) {
    if (part < parts_.size() && parts_[part].kind == Kind::any) {
      retry_part = ++part;
      retry_at = at;
      continue;
    }
    const bool fits = at < path.size() && part < parts_.size() &&
                      (parts_[part].kind == Kind::one || parts_[part].text == path[at]);
    if (fits) {
      ++at;
      ++part;
    } else if (retry_part <= parts_.size() && retry_at < path.size()) {
      at = ++retry_at;
      part = retry_part;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace weir::rules
