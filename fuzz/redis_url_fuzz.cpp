// SPDX-License-Identifier: Apache-2.0
// The URL of a shared store: it is refused with a reason, or read within its bounds; and what logs
// tell of it never has its password.
#include "fuzz.hpp"
#include "redis/options.hpp"

using weir::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = weir::fuzz::text_of(data, size);
  const auto options = weir::redis::parse_url(text);
  const auto told = weir::redis::without_passwords(text);
  if (!options) {
    require(!options.error().empty());
    return 0;
  }
  require(!options->addresses.empty() && options->timeout > weir::Duration::zero());
  const auto of_log = weir::redis::parse_url(told);
  if (!of_log) return 0;
  for (const auto* login : {&of_log->login, &of_log->sentinel_login}) {
    require(login->password.empty() || login->password == "***");
  }
  return 0;
}
