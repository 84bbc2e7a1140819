// SPDX-License-Identifier: Apache-2.0
// What sentinels say of their master.
#pragma once

#include <optional>
#include <string_view>

#include "redis/options.hpp"
#include "wire/resp_reply.hpp"

namespace weir::redis {

/// The answer to SENTINEL GET-MASTER-ADDR-BY-NAME, `[host, port]`. Nothing where it is something
/// else; the sentinel that does not know the name answers null.
[[nodiscard]] std::optional<Address> read_master(const wire::resp::Reply& reply);

/// A message `+switch-master`, `name old-host old-port new-host new-port`: where the master of this
/// name is from now on. Nothing where it is anything else.
[[nodiscard]] std::optional<Address> read_switch(const wire::resp::Reply& reply,
                                                 std::string_view master_name);

}  // namespace weir::redis
