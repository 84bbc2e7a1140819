// SPDX-License-Identifier: Apache-2.0
// CL.THROTTLE as redis-cell understands it: its arguments, its texts, its reply.
//
//     CL.THROTTLE <key> <max_burst> <count per period> <period in s> [<quantity>]
//     -> [limited 0/1, max_burst + 1, remaining, retry_after in s or -1, reset_after in s]
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <weir/limit.hpp>
#include <weir/result.hpp>

#include "limiter/engine.hpp"
#include "wire/resp.hpp"

namespace weir::front::resp {

struct Throttle {
  Limit limit;
  std::uint64_t cost;
  Verb verb;
};

/// Reads the arguments behind the command's name. A quantity of 0 asks and takes nothing; a
/// negative one gives units back, never beyond full. The error is the whole text of the reply.
[[nodiscard]] Result<Throttle> parse_throttle(std::span<const std::string_view> arguments);

/// `retry_after` is -1 where the request is admitted, and where it never can be. Seconds are
/// rounded up: a caller that waits so long is not too early.
void write_throttle(const limiter::Verdict& verdict, Verb verb, wire::resp::Writer& reply);

/// A whole number as redis-cell reads it: an optional sign, digits; 64 bits.
[[nodiscard]] bool parse_integer(std::string_view text, std::int64_t& value) noexcept;

}  // namespace weir::front::resp
