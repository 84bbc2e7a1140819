// SPDX-License-Identifier: Apache-2.0
// The streams of keys that table_bench asks for.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "table_bench_sides.hpp"

namespace weir::bench {

using Keys = std::vector<KeyText>;

inline KeyText text_of(std::uint64_t number) {
  KeyText key;
  const auto end = fmt::format_to_n(key.bytes.data(), key.bytes.size(),
                                    "tenant:{:08d}|route:/v1/messages", number);
  key.size = static_cast<std::uint8_t>(end.size);
  return key;
}

/// Draws key numbers below `keys`, all alike.
inline Keys uniform(std::uint64_t keys, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::uint64_t> number(0, keys - 1);
  Keys stream(count);
  for (auto& key : stream) key = text_of(number(random));
  return stream;
}

/// Draws key numbers by Zipf's law with exponent 0.99 (J. Gray et al., 1994).
inline Keys zipf(std::uint64_t keys, std::size_t count, std::uint64_t seed) {
  constexpr double theta = 0.99;
  double zeta = 0;
  for (std::uint64_t rank = 1; rank <= keys; ++rank) zeta += std::pow(double(rank), -theta);
  const double two = 1 + std::pow(0.5, theta);
  const double eta = (1 - std::pow(2.0 / double(keys), 1 - theta)) / (1 - two / zeta);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit;
  Keys stream(count);
  for (auto& key : stream) {
    const double u = unit(random);
    const double tail = double(keys) * std::pow(eta * u - eta + 1, 1 / (1 - theta));
    const double rank = u * zeta < 1 ? 0 : u * zeta < two ? 1 : tail;
    // Neighbours in rank are no neighbours in number.
    key = text_of(std::min(std::uint64_t(rank), keys - 1) * 7'919 % keys);
  }
  return stream;
}

inline Keys in_order(std::uint64_t first, std::size_t count) {
  Keys stream(count);
  for (std::size_t at = 0; at < count; ++at) stream[at] = text_of(first + at);
  return stream;
}

}  // namespace weir::bench
