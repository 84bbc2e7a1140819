// SPDX-License-Identifier: Apache-2.0
// What a proxy asks of /v1/auth: the request that it was sent, as its header fields tell it.
#pragma once

#include <cstdint>
#include <optional>

#include <weir/result.hpp>

#include "front/http_request.hpp"
#include "rules/request.hpp"

namespace weir::front {

/// How a proxy wants to be answered.
struct AuthOptions {
  /// Which header fields tell of the original request. It stands in the path, which is the proxy's
  /// own: some proxies hand on the query of their caller.
  enum class Source : std::uint8_t {
    any,        ///< /v1/auth: whichever of the two is there; both are an error
    forwarded,  ///< /v1/auth/x-forwarded: X-Forwarded-Method, -Uri and -Host
    original,   ///< /v1/auth/x-original: X-Original-Method, -URI or -URL, and -Host
  } source = Source::any;

  /// `?deny=403`: whoever is not admitted gets a 403, and `X-RateLimit-Status` tells the status
  /// proper: for proxies (nginx) that pass on no other. A caller who adds it only harms itself.
  bool deny_as_403 = false;
};

/// Whether the target is /v1/auth in one of its forms, and what it asks for.
[[nodiscard]] std::optional<AuthOptions> read_auth_target(const HttpRequest& asked);

/// The original request. What its header fields do not tell is that of `asked` itself, and the path
/// `/`. Views are those of `asked`. An error where the fields contradict each other: a caller could
/// be adding to what the proxy says.
[[nodiscard]] Result<rules::Request> read_auth_request(const HttpRequest& asked,
                                                       AuthOptions::Source source);

}  // namespace weir::front
