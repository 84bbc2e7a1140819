// SPDX-License-Identifier: Apache-2.0
#include "cli/json_fields.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace weir::cli {

namespace json = boost::json;

const json::value* JsonFields::find(std::string_view name) const noexcept {
  const auto* value = object_.if_contains({name.data(), name.size()});
  return value == nullptr || value->is_null() ? nullptr : value;
}

void JsonFields::fail(std::string_view name, std::string_view what) {
  if (problem_.empty()) problem_ = fmt::format("{}: {}", name, what);
}

void JsonFields::refuse(std::string_view name, const json::value& value, std::string_view wanted) {
  constexpr std::size_t most_shown = 60;
  auto shown = json::serialize(value);
  if (shown.size() > most_shown) shown = shown.substr(0, most_shown) + "...";
  fail(name, fmt::format("{} is not {}", shown, wanted));
}

std::optional<std::uint64_t> JsonFields::number(std::string_view name, Range range) {
  const auto* value = find(name);
  if (value == nullptr) return {};
  std::optional<std::uint64_t> number;
  if (value->is_uint64()) number = value->get_uint64();
  if (value->is_int64() && value->get_int64() >= 0) {
    number = static_cast<std::uint64_t>(value->get_int64());
  }
  if (number && *number >= range.least && *number <= range.most) return number;
  refuse(name, *value, fmt::format("a whole number from {} to {}", range.least, range.most));
  return {};
}

std::uint64_t JsonFields::required_number(std::string_view name, Range range) {
  if (find(name) == nullptr) {
    fail(name, fmt::format("missing; a whole number from {} to {}", range.least, range.most));
  }
  return number(name, range).value_or(range.least);
}

std::optional<std::string_view> JsonFields::text(std::string_view name) {
  const auto* value = find(name);
  if (value == nullptr) return {};
  if (const auto* string = value->if_string()) return {{string->data(), string->size()}};
  refuse(name, *value, "a text in quotes");
  return {};
}

bool JsonFields::truth(std::string_view name) {
  const auto* value = find(name);
  if (value == nullptr) return false;
  if (const auto* truth = value->if_bool()) return *truth;
  refuse(name, *value, "true or false");
  return false;
}

}  // namespace weir::cli
