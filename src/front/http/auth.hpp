// SPDX-License-Identifier: Apache-2.0
// What a proxy asks of /v1/auth: the request that it was sent, as its header fields tell it.
#pragma once

#include <string>
#include <string_view>

#include <weir/result.hpp>

#include "front/http_request.hpp"
#include "rules/request.hpp"

namespace weir::front {

/// What the proxy's configuration says by the query of /v1/auth. Callers of the proxy have no part in it.
struct AuthOptions {
  /// Which header fields tell of the original request.
  enum class Source : std::uint8_t {
    any,        ///< whichever of the two is there; both are an error
    forwarded,  ///< X-Forwarded-Method, X-Forwarded-Uri, X-Forwarded-Host
    original,   ///< X-Original-Method, X-Original-URI or X-Original-URL, X-Original-Host
  } source = Source::any;

  /// Whoever is not admitted gets a 403, and `X-RateLimit-Status` tells the status proper: for proxies
  /// (nginx) that pass on no other.
  bool deny_as_403 = false;
};

/// Reads the query of /v1/auth: `deny=403`, `from=x-forwarded` and `from=x-original`.
[[nodiscard]] Result<AuthOptions> read_auth_options(std::string_view query);

/// The original request. What its header fields do not tell is that of `asked` itself, and the path `/`.
/// Views are those of `asked`. An error where the fields contradict each other: a caller could be adding
/// to what the proxy says.
[[nodiscard]] Result<rules::Request> read_auth_request(const HttpRequest& asked,
                                                       AuthOptions::Source source);

}  // namespace weir::front
