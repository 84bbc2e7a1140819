// SPDX-License-Identifier: Apache-2.0
#include "front/http/auth.hpp"

#include <array>

#include "rules/path.hpp"
#include "rules/problems.hpp"
#include "rules/text.hpp"

namespace weir::front {

namespace {

using rules::equals_ignoring_case;
using Source = AuthOptions::Source;

/// One family of fields that tell of a request.
struct Told {
  const rules::Header* method = nullptr;
  const rules::Header* target = nullptr;
  const rules::Header* host = nullptr;
  const rules::Header* repeated = nullptr;

  [[nodiscard]] bool any() const noexcept { return method != nullptr || target != nullptr; }
};

struct Fields {
  Told forwarded;
  Told original;
  const rules::Header* host = nullptr;
};

struct FieldPlace {
  char third;
  std::string_view name;
  Told Fields::*family;
  const rules::Header* Told::*field;
};

constexpr std::array field_places{
    FieldPlace{'f', "X-Forwarded-Method", &Fields::forwarded, &Told::method},
    FieldPlace{'f', "X-Forwarded-Uri", &Fields::forwarded, &Told::target},
    FieldPlace{'f', "X-Forwarded-Host", &Fields::forwarded, &Told::host},
    FieldPlace{'o', "X-Original-Method", &Fields::original, &Told::method},
    FieldPlace{'o', "X-Original-URI", &Fields::original, &Told::target},
    FieldPlace{'o', "X-Original-URL", &Fields::original, &Told::target},
    FieldPlace{'o', "X-Original-Host", &Fields::original, &Told::host}};

constexpr std::size_t shortest_name = std::string_view("X-Original-URI").size();

Fields find_fields(std::span<const rules::Header> headers) noexcept {
  Fields fields;
  for (const auto& header : headers) {
    if (header.name.size() == 4 && equals_ignoring_case(header.name, "host")) fields.host = &header;
    if (header.name.size() < shortest_name) continue;
    for (const auto& place : field_places) {
      // The third character tells the families apart, and most other fields from both.
      if ((header.name[2] | 0x20) != place.third ||
          !equals_ignoring_case(header.name, place.name)) {
        continue;
      }
      Told& told = fields.*place.family;
      if (told.*place.field != nullptr) told.repeated = &header;
      told.*place.field = &header;
    }
  }
  return fields;
}

std::string quoted(std::string_view text) { return "'" + rules::shown(text) + "'"; }

}  // namespace

std::optional<AuthOptions> read_auth_target(const HttpRequest& asked) {
  constexpr std::string_view page = "/v1/auth";
  auto path = asked.path();
  if (!path.starts_with(page)) return std::nullopt;
  path.remove_prefix(page.size());
  AuthOptions options;
  if (path == "/x-forwarded") {
    options.source = Source::forwarded;
  } else if (path == "/x-original") {
    options.source = Source::original;
  } else if (!path.empty()) {
    return std::nullopt;
  }
  for (auto query = rules::query_of(asked.target); !query.empty();) {
    options.deny_as_403 |= rules::cut_first(query, '&') == "deny=403";
  }
  return options;
}

Result<rules::Request> read_auth_request(const HttpRequest& asked, Source source) {
  const auto fields = find_fields(asked.headers);
  if (source == Source::any && fields.forwarded.any() && fields.original.any()) {
    return Error{
        "X-Forwarded-* and X-Original-* both tell of the request. Have the proxy ask "
        "/v1/auth/x-forwarded or /v1/auth/x-original, whichever it sets itself."};
  }
  const bool original =
      source == Source::original || (source == Source::any && fields.original.any());
  const Told& told = original ? fields.original : fields.forwarded;
  if (told.repeated != nullptr) {
    return Error{"The field " + quoted(told.repeated->name) +
                 " is there twice. Have the proxy replace what its callers send."};
  }
  rules::Request request;
  request.method = told.method != nullptr ? told.method->value : asked.method;
  request.target = told.target != nullptr ? told.target->value : "/";
  request.headers = asked.headers;
  if (told.host != nullptr) {
    request.host = told.host->value;
  } else if (const auto named = rules::authority_of(request.target);
             !request.target.starts_with('/') && !named.empty()) {
    request.host = named;
  } else if (fields.host != nullptr) {
    request.host = fields.host->value;
  }
  return request;
}

}  // namespace weir::front
