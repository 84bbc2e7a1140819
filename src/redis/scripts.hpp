// SPDX-License-Identifier: Apache-2.0
// The Lua scripts that Redis runs for weir, as they stand in scripts/. The build embeds them,
// without their comments.
#pragma once

#include <span>
#include <string_view>

namespace weir::redis {

struct Script {
  std::string_view name;  ///< as its file, without `.lua`
  std::string_view source;
  std::string_view sha1;  ///< of `source`, in lower-case hex: what EVALSHA names it by
};

/// All of them: a connection loads them before anything is asked on it.
[[nodiscard]] std::span<const Script> all_scripts() noexcept;

/// The script of a name that exists.
[[nodiscard]] const Script& script(std::string_view name) noexcept;

}  // namespace weir::redis
