// SPDX-License-Identifier: Apache-2.0
// The fields of a JSON object whose names are known, sorted into a struct of pointers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "front/http/json_tree.hpp"
#include "limit/text.hpp"
#include "rules/problems.hpp"

namespace weir::front {

template <typename Fields>
struct JsonField {
  std::string_view name;
  const JsonNode* Fields::*value;
};

/// What is wrong with a field; `field` is empty where it is the object itself.
struct JsonComplaint {
  std::string_view field;
  std::string text;
};

[[nodiscard]] inline std::string quoted(std::string_view text) {
  return "'" + rules::shown(text) + "'";
}

/// Points `fields` at the values in `object`. Fields that are unknown, or there twice, are wrong.
template <typename Fields, std::size_t count>
[[nodiscard]] std::optional<JsonComplaint> sort_fields(const JsonNode& object,
                                                       const JsonField<Fields> (&known)[count],
                                                       Fields& fields) {
  const JsonNode* const end = &object + object.span;
  for (const JsonNode* key = &object + 1; key != end; key += 1 + key[1].span) {
    const auto* const field =
        std::find_if(std::begin(known), std::end(known),
                     [key](const auto& one) { return one.name == key->text; });
    if (field == std::end(known)) {
      std::array<std::string_view, count> names;
      std::transform(std::begin(known), std::end(known), names.begin(),
                     [](const auto& one) { return one.name; });
      return JsonComplaint{{},
                           "unknown field " + quoted(key->text) + did_you_mean(key->text, names)};
    }
    if (fields.*field->value != nullptr) return JsonComplaint{field->name, "is there twice"};
    fields.*field->value = key + 1;
  }
  return std::nullopt;
}

}  // namespace weir::front
