// SPDX-License-Identifier: Apache-2.0
#include "base/key.hpp"

#include <random>

namespace weir {

KeySecret KeySecret::random() {
  std::random_device device;
  const auto word = [&device] {
    return (static_cast<std::uint64_t>(device()) << 32) | static_cast<std::uint64_t>(device());
  };
  return {word(), word()};
}

Key sip_hash_128(const KeySecret& secret, std::string_view bytes) noexcept {
  SipHash hash(secret.k0, secret.k1);
  const std::uint64_t rest = hash.absorb(bytes);
  const auto digest = hash.finish(rest | static_cast<std::uint64_t>(bytes.size()) << 56);
  return {.hi = digest.first, .lo = digest.second};
}

}  // namespace weir
