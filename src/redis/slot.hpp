// SPDX-License-Identifier: Apache-2.0
// Which of a cluster's slots a key belongs to.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir::redis {

inline constexpr std::uint16_t slots = 16384;

/// The slot of `key`: of what stands between its first `{` and the next `}`, where that is not
/// nothing, else of all of it. Keys with the same part in braces stand together.
[[nodiscard]] std::uint16_t slot_of(std::string_view key) noexcept;

}  // namespace weir::redis
