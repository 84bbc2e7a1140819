// SPDX-License-Identifier: Apache-2.0
// Takes typed fields from a JSON object. The first field that is wrong is kept as the problem, so
// that a reader takes all its fields and asks once at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace weir::cli {

class JsonFields {
 public:
  /// The object outlives this.
  explicit JsonFields(const boost::json::object& object) noexcept : object_(object) {}

  /// A field's value, or null where it is absent or JSON's null.
  [[nodiscard]] const boost::json::value* find(std::string_view name) const noexcept;

  struct Range {
    std::uint64_t least = 0;
    std::uint64_t most = UINT64_MAX;
  };

  /// A whole number within `range`; nothing where it is absent. Numbers with a fraction or an
  /// exponent are refused: they would not be exact.
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name, Range range);
  [[nodiscard]] std::uint64_t required_number(std::string_view name, Range range);

  [[nodiscard]] std::optional<std::string_view> text(std::string_view name);
  [[nodiscard]] bool truth(std::string_view name);  ///< false where it is absent

  /// Notes that a field is wrong: `NAME: WHAT`. Only the first is kept.
  void fail(std::string_view name, std::string_view what);

  /// The same, told with the value that stands there: `NAME: VALUE is not WANTED`.
  void refuse(std::string_view name, const boost::json::value& value, std::string_view wanted);

  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  const boost::json::object& object_;
  std::string problem_;
};

}  // namespace weir::cli
