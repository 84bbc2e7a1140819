// SPDX-License-Identifier: Apache-2.0
#include "rules/reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

#include <fmt/format.h>

#include "limit/text.hpp"
#include "rules/text.hpp"

namespace weir::rules {

namespace {

Place inner_place(const Value& outer, const Node& node, const std::string& field) {
  return {node.line, node.column, outer.place.field + field};
}

Value entry_of(const Value& map, const Node& key, const Node& value) {
  const auto name = shown(key.text);
  return {&value, inner_place(map, key, map.place.field.empty() ? name : "." + name)};
}

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array units{Unit{"B", 1},
                           Unit{"KiB", 1u << 10},
                           Unit{"MiB", 1u << 20},
                           Unit{"GiB", 1u << 30},
                           Unit{"TiB", std::uint64_t{1} << 40},
                           Unit{"kB", 1'000},
                           Unit{"MB", 1'000'000},
                           Unit{"GB", 1'000'000'000}};

std::string shown_bytes(std::uint64_t bytes) {
  std::string text = fmt::format("{}B", bytes);
  for (const auto& unit : std::span(units).first(5)) {
    if (bytes >= unit.bytes && bytes % unit.bytes == 0) {
      text = fmt::format("{}{}", bytes / unit.bytes, unit.name);
    }
  }
  return text;
}

std::string shown_duration(Duration duration) {
  if (duration == Duration::zero()) return "0s";
  const auto text = period_text(duration);
  return is_digit(text.front()) ? text : "1" + text;
}

std::string mend_of_key(std::string_view key, std::span<const std::string_view> known) {
  if (key == "<<") return "; maps are not merged: write the values out";
  const auto mend = did_you_mean(key, known);
  return mend.empty() ? fmt::format("; known here: {}", fmt::join(known, ", ")) : mend;
}

/// The unit that somebody meant: in other letters' case, or by its first letter alone.
std::string mend_of_unit(std::string_view name) {
  for (const auto& unit : units) {
    if (equals_ignoring_case(unit.name, name)) {
      return fmt::format("; did you mean '{}'?", unit.name);
    }
  }
  for (const auto& unit : std::span(units).first(5)) {
    if (!name.empty() && to_lower(unit.name[0]) == to_lower(name[0])) {
      return fmt::format("; did you mean '{}'?", unit.name);
    }
  }
  return {};
}

/// The digits that a text begins with, as a number; cut off it.
std::optional<std::uint64_t> cut_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::string_view kind_of(const Node& node) noexcept {
  switch (node.kind) {
    case Node::Kind::null: return "nothing";
    case Node::Kind::scalar: return "a text";
    case Node::Kind::list: return "a list";
    case Node::Kind::map: return "a mapping";
  }
  return "";
}

std::vector<NamedValue> Reader::entries(const Value& map, std::string_view wanted) {
  if (!map.is_map()) {
    error(map, fmt::format("is {}; {} is wanted", kind_of(*map.node), wanted));
    return {};
  }
  std::vector<NamedValue> result;
  std::unordered_map<std::string_view, const Node*> first;
  for (const auto& [key, value] : map.node->entries) {
    const auto entry = entry_of(map, *key, *value);
    const auto [earlier, is_new] = first.try_emplace(key->text, key);
    if (is_new) {
      result.push_back({key->text, entry});
    } else {
      error(entry, fmt::format("stands here a second time; the first is at {}:{}",
                               earlier->second->line, earlier->second->column));
    }
  }
  return result;
}

std::vector<Value> Reader::items(const Value& value, std::size_t most, EmptyList empty) {
  if (!value.is_list()) return {value};
  const auto& nodes = value.node->items;
  if (nodes.empty() && empty == EmptyList::refused) error(value, "is an empty list");
  if (nodes.size() > most) {
    error(value, fmt::format("has {} items; at most {} are allowed", nodes.size(), most));
  }
  std::vector<Value> result;
  for (std::size_t at = 0; at < std::min(nodes.size(), most); ++at) {
    result.push_back({nodes[at], inner_place(value, *nodes[at], fmt::format("[{}]", at))});
  }
  return result;
}

std::optional<std::string_view> Reader::text(const Value& value, std::string_view wanted) {
  if (value.is_text() && !value.node->text.empty()) return value.node->text;
  error(value, fmt::format("is {}; {} is wanted",
                           value.is_text() ? "an empty text" : kind_of(*value.node), wanted));
  return {};
}

std::optional<std::size_t> Reader::choice(const Value& value,
                                          std::span<const std::string_view> names) {
  const std::string wanted = fmt::format("one of {}", fmt::join(names, ", "));
  const auto word = text(value, wanted);
  if (!word) return {};
  const auto found = std::find(names.begin(), names.end(), *word);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto mend = did_you_mean(*word, names);
  error(value, fmt::format("'{}': {} is wanted{}", shown(*word), wanted, mend));
  return {};
}

std::optional<bool> Reader::boolean(const Value& value) {
  const auto word = text(value, "true or false");
  if (!word) return {};
  if (*word == "true" || *word == "false") return *word == "true";
  const auto lower = lower_case(*word);
  const bool yes = lower == "yes" || lower == "on" || lower == "true" || lower == "1";
  error(value, fmt::format("'{}': true or false is wanted; did you mean '{}'?", shown(*word), yes));
  return {};
}

std::optional<std::uint64_t> Reader::number(const Value& value, Range range) {
  const std::string wanted = fmt::format("a whole number from {} to {}", range.least, range.most);
  const auto word = text(value, wanted);
  if (!word) return {};
  std::string_view rest = *word;
  const auto number = cut_number(rest);
  if (number && rest.empty() && *number >= range.least && *number <= range.most) return number;
  error(value, fmt::format("'{}': {} is wanted", shown(*word), wanted));
  return {};
}

std::optional<std::uint64_t> Reader::bytes(const Value& value, Range range) {
  const auto word = text(value, "a size such as 256MiB");
  if (!word) return {};
  std::string_view name = *word;
  const auto count = cut_number(name);
  name = trimmed(name);
  const auto* unit =
      std::find_if(units.begin(), units.end(), [name](const Unit& u) { return u.name == name; });
  if (!count || unit == units.end()) {
    error(value, fmt::format("'{}': a size is a whole number and a unit, such as 256MiB{}",
                             shown(*word), count ? mend_of_unit(name) : ""));
    return {};
  }
  std::uint64_t size = 0;
  const bool over = __builtin_mul_overflow(*count, unit->bytes, &size);
  if (!over && size >= range.least && size <= range.most) return size;
  error(value, fmt::format("'{}': a size from {} to {} is wanted", shown(*word),
                           shown_bytes(range.least), shown_bytes(range.most)));
  return {};
}

std::optional<Duration> Reader::duration(const Value& value, DurationRange range) {
  const auto word = text(value, "a duration such as 10s");
  if (!word) return {};
  const auto duration = parse_duration(*word);
  if (!duration) {
    error(value, printable(duration.error()));
  } else if (*duration < range.least || *duration > range.most) {
    error(value, fmt::format("'{}': a duration from {} to {} is wanted", *word,
                             shown_duration(range.least), shown_duration(range.most)));
  } else {
    return *duration;
  }
  return {};
}

bool Reader::check_name(const Value& place, std::string_view name) {
  constexpr std::size_t most = 64;
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (name.empty() || name.size() > most || !std::all_of(name.begin(), name.end(), printable) ||
      is_blank(name.front()) || is_blank(name.back())) {
    error(place,
          fmt::format("'{}': a name is 1 to {} printable ASCII characters, no blank at its ends",
                      shown(name), most));
    return false;
  }
  return true;
}

Section::Section(Reader& reader, const Value& value, std::initializer_list<std::string_view> keys) {
  const std::span<const std::string_view> known(keys.begin(), keys.size());
  const std::string wanted = fmt::format("a mapping with {}", fmt::join(known, ", "));
  for (auto& entry : reader.entries(value, wanted)) {
    if (std::find(known.begin(), known.end(), entry.name) == known.end()) {
      has_faults_ = true;
      reader.error(entry.value, "unknown key" + mend_of_key(entry.name, known));
    } else if (entry.value.node->kind == Node::Kind::null) {
      has_faults_ = true;
      reader.error(entry.value, "nothing stands behind this key");
    } else {
      entries_.push_back(std::move(entry));
    }
  }
}

const Value* Section::find(std::string_view key) const noexcept {
  for (const auto& entry : entries_) {
    if (entry.name == key) return &entry.value;
  }
  return nullptr;
}

}  // namespace weir::rules
