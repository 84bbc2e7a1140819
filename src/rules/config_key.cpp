// SPDX-License-Identifier: Apache-2.0
// Parts of keys, checked against what stands around them.
#include <algorithm>

#include <fmt/format.h>

#include "rules/config_reading.hpp"

namespace weir::rules {

namespace {

void check_source(Reader& reader, const Value& value, const KeySource& source,
                  const KeySurroundings& around) {
  if (source.kind == SourceKind::route && !around.has_route) {
    reader.error(value,
                 "'route': is the path pattern that matched; here is no 'match' with a path");
  }
  if (source.known && !around.has_known_values) {
    reader.error(
        value,
        fmt::format(
            "'{}': knows the keys of 'plans: {{by: {{map: ..., file: ...}}}}', and there are none",
            source.text));
  }
}

}  // namespace

std::optional<KeyPart> read_key_part(Reader& reader, const Value& value,
                                     const KeySurroundings& around) {
  const auto text = reader.text(value, "a part of a key such as ip, \"header:x-api-key | ip\"");
  if (!text) return {};
  auto part = KeyPart::parse(*text);
  if (!part) {
    reader.error(value, part.error());
    return {};
  }
  const auto& sources = part->sources;
  for (const auto& source : sources) check_source(reader, value, source, around);
  const auto always = std::find_if(sources.begin(), sources.end(),
                                   [](const KeySource& s) { return s.always_there(); });
  if (always != sources.end() && always + 1 != sources.end()) {
    reader.warning(value, fmt::format("'{}' is never reached: '{}' is always there",
                                      (always + 1)->text, always->text));
  }
  return *part;
}

}  // namespace weir::rules
