// SPDX-License-Identifier: Apache-2.0
// The value of something that can fail for a reason to tell: bad input, a missing file.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace weir {

/// Why something could not be done, said to a person: what is wrong and what would be right.
struct Error {
  std::string message;
};

/// A `T`, or the `Error` that prevented it. A refused request is not an error: it is a `Decision`.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that a function returns its value or an Error as it stands.
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  [[nodiscard]] bool ok() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// The value. Only where `ok()`.
  [[nodiscard]] T& value() & noexcept {
    assert(ok());
    return *std::get_if<0>(&content_);
  }
  [[nodiscard]] const T& value() const& noexcept {
    assert(ok());
    return *std::get_if<0>(&content_);
  }
  [[nodiscard]] T&& value() && noexcept {
    assert(ok());
    return std::move(*std::get_if<0>(&content_));
  }
  T* operator->() noexcept { return &value(); }
  const T* operator->() const noexcept { return &value(); }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }

  /// What went wrong. Only where not `ok()`.
  [[nodiscard]] const std::string& error() const noexcept {
    assert(!ok());
    return std::get_if<1>(&content_)->message;
  }

 private:
  std::variant<T, Error> content_;
};

}  // namespace weir
