// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

#include <weir/clock.hpp>

namespace weir::cli {

/// An exact span in the largest unit that it fills: `1.25s`, `366.960124ms`, `5us`, `0s`, `never`.
[[nodiscard]] std::string spelled(Duration span);

/// A time in UTC, to the second: `2015-05-17 10:05:03`.
[[nodiscard]] std::string spelled(Time time);

/// A count with its thousands apart: `1,234,567`.
[[nodiscard]] std::string grouped(std::uint64_t number);

/// A part of a whole: `12.3 %`; `-` of nothing.
[[nodiscard]] std::string percent(std::uint64_t part, std::uint64_t whole);

}  // namespace weir::cli
