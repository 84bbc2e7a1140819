// SPDX-License-Identifier: Apache-2.0
// `limits:` and the limits of rules.
#include <fmt/format.h>

#include "limit/text.hpp"
#include "rules/config_reading.hpp"
#include "rules/text.hpp"

namespace weir::rules {

namespace {

constexpr std::string_view wanted_limit =
    "a limit such as '10/s burst 50', or a mapping with rate, burst, algorithm";

Value named(const Value& value, std::string_view part) {
  Value result = value;
  result.place.field += part;
  return result;
}

std::optional<FileLimit> read_short(Reader& reader, const Value& value) {
  const auto text = reader.text(value, wanted_limit);
  if (!text) return {};
  std::string_view rest = trimmed(*text);
  const auto rate = cut_first(rest, ' ');
  if (const auto parsed = parse_rate(rate); !parsed) {
    reader.error(named(value, ".rate"), printable(parsed.error()));
    return {};
  }
  const auto limit = Limit::parse(*text);
  if (!limit) {
    reader.error(value, printable(limit.error()));
    return {};
  }
  return FileLimit{std::string(trimmed(*text)), *limit, value.place};
}

/// Reads the text behind `key` by `parse`.
template <typename Parse>
auto read_part(Reader& reader, const Section& section, std::string_view key,
               std::string_view wanted, Parse parse)
    -> std::optional<std::decay_t<decltype(*parse(wanted))>> {
  const auto* value = section.find(key);
  const auto text = value != nullptr ? reader.text(*value, wanted) : std::nullopt;
  if (!text) return {};
  auto parsed = parse(*text);
  if (parsed) return *parsed;
  reader.error(*value, printable(parsed.error()));
  return {};
}

std::optional<FileLimit> read_long(Reader& reader, const Value& value, bool may_be_named) {
  const auto errors = reader.problems().error_count();
  const auto section = may_be_named ? Section(reader, value, {"name", "rate", "burst", "algorithm"})
                                    : Section(reader, value, {"rate", "burst", "algorithm"});
  const auto rate = read_part(reader, section, "rate", "a rate such as 10/s", parse_rate);
  if (section.find("rate") == nullptr) reader.error(value, "'rate' is missing, such as 10/s");
  LimitParts parts{};
  parts.burst = read_part(reader, section, "burst", "a whole number", parse_burst);
  if (const auto algorithm =
          read_part(reader, section, "algorithm", "an algorithm", parse_algorithm)) {
    parts.algorithm = *algorithm;
  }
  const auto* name = section.find("name");
  const auto own_name = name != nullptr ? reader.text(*name, "a name") : std::nullopt;
  if (own_name) check_limit_name(reader, *name, *own_name);
  if (!rate || reader.problems().error_count() > errors) return {};
  parts.rate = *rate;
  const auto limit = make_limit(parts);
  if (!limit) {
    const auto* burst = section.find("burst");
    reader.error(burst != nullptr ? *burst : value, limit.error());
    return {};
  }
  return FileLimit{own_name ? std::string(*own_name) : limit->to_string(), *limit, value.place};
}

}  // namespace

void check_limit_name(Reader& reader, const Value& place, std::string_view name) {
  if (!reader.check_name(place, name)) return;
  if (is_digit(name.front())) {
    reader.error(place, fmt::format("'{}': a limit's name begins with no digit: rates do", name));
  } else if (name == "unlimited") {
    reader.error(place, "'unlimited' is the list that limits nothing, and no name");
  }
}

std::optional<FileLimit> read_limit(Reader& reader, const Value& value, bool may_be_named) {
  return value.is_map() ? read_long(reader, value, may_be_named) : read_short(reader, value);
}

NamedLimits read_named_limits(Reader& reader, const Value& value) {
  NamedLimits limits;
  const auto entries = reader.entries(value, "a mapping from names to limits");
  if (entries.size() > most_named_limits) {
    reader.error(
        value, fmt::format("{} limits; at most {} are allowed", entries.size(), most_named_limits));
  }
  for (const auto& [name, entry] : entries) {
    check_limit_name(reader, entry, name);
    auto limit = read_limit(reader, entry, false);
    if (limit) limit->name = name;
    limits.emplace(name, std::move(limit));
  }
  return limits;
}

}  // namespace weir::rules
