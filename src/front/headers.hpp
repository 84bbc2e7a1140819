// SPDX-License-Identifier: Apache-2.0
// A verdict as HTTP tells it: status code, header fields, body. Durations become whole seconds here
// and only here, always rounded up, so that whoever waits as told is not refused for being early.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <weir/clock.hpp>

#include "limiter/engine.hpp"
#include "rules/config.hpp"

namespace weir::front {

/// 200 admitted, 429 over a limit, 503 the limiter can't tell, 403 a part of the key is missing.
[[nodiscard]] int http_status(limiter::Status status) noexcept;

/// One header field. It holds the bytes of its value, and so may be copied.
class HeaderField {
 public:
  HeaderField() = default;
  HeaderField(std::string_view name, std::uint64_t number) noexcept;
  HeaderField(std::string_view name, std::string_view text) noexcept;  ///< at most 20 bytes of text

  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] std::string_view value() const noexcept { return {text_.data(), size_}; }

 private:
  std::string_view name_;
  std::array<char, 20> text_{};  // room for any 64-bit number
  std::size_t size_ = 0;
};

/// The few header fields of one verdict, in the order in which they are sent.
class HeaderFields {
 public:
  template <typename Value>
  void add(std::string_view name, Value value) noexcept {
    fields_[size_++] = HeaderField(name, value);
  }

  [[nodiscard]] const HeaderField* begin() const noexcept { return fields_.data(); }
  [[nodiscard]] const HeaderField* end() const noexcept { return fields_.data() + size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

 private:
  std::array<HeaderField, 5> fields_;
  std::size_t size_ = 0;
};

/// The fields that tell `verdict`, decided at `now`. All numbers are those of the limit that
/// decides.
///
/// - `X-RateLimit-Limit`: the units that may be admitted at once (the burst of a bucket or a queue,
///   else the count), so that `X-RateLimit-Remaining` is never larger.
/// - `X-RateLimit-Reset`: until all of it is there again, in seconds or as the epoch's second at
///   which that is so. Absent where it never is.
/// - `Retry-After`, of a refusal only: at least 1, and `config.retry_jitter` or less on top, as
///   `random` (any number, a fresh one for each answer) has it. Absent where waiting does not help.
/// - `Cache-Control: no-store` on everything that is not admitted.
///
/// Where no enforced limit was met, where the limiter can't tell and where a failure policy admits,
/// there are no numbers to tell and none are made up.
[[nodiscard]] HeaderFields render_headers(const limiter::Verdict& verdict,
                                          const rules::HeaderConfig& config, Time now,
                                          std::uint64_t random = 0) noexcept;

/// Appends the problem+json body (RFC 9457) of a verdict that is not `allowed`. It names the limit
/// that decides; nothing of the request stands in it.
void append_problem(const limiter::Verdict& verdict, std::string& out);

}  // namespace weir::front
