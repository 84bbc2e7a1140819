// SPDX-License-Identifier: Apache-2.0
// Writes JSON piece by piece; the commas come by themselves.
//
//     JsonWriter json(out);
//     json.open('{').name("ok").value(true).name("files").open('[').close(']').close('}');
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <weir/clock.hpp>

namespace weir::cli {

class JsonWriter {
 public:
  /// Appends to `out`, which outlives the writer.
  explicit JsonWriter(std::string& out) noexcept : out_(out) {}

  JsonWriter& open(char bracket);   ///< `{` or `[`
  JsonWriter& close(char bracket);  ///< `}` or `]`

  /// The name of the member whose value comes next.
  JsonWriter& name(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
  template <std::integral Number>
  JsonWriter& value(Number number) {
    return raw(std::to_string(number));
  }
  JsonWriter& value(Duration span);  ///< nanoseconds; null for `never`
  JsonWriter& null() { return raw("null"); }

 private:
  JsonWriter& raw(std::string_view text);
  void separate();

  std::string& out_;
  bool first_ = true;  // nothing stands before in this object or array
};

}  // namespace weir::cli
