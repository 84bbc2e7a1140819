// SPDX-License-Identifier: Apache-2.0
// Bodies of /v1/check: read as a whole within the bounds, or refused with a reason.
#include <memory>
#include <string>

#include "front/http/check.hpp"
#include "fuzz.hpp"
#include "rules/config.hpp"

using weir::front::CheckReader;
using weir::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto loaded = weir::rules::parse_config("limits: {api: 3/h}\n", "fuzz.yaml");
  static const auto reader = std::make_unique<CheckReader>();
  if (!reader->read(weir::fuzz::text_of(data, size), *loaded.config.value().rules)) {
    require(!reader->error().empty());
    return 0;
  }
  std::size_t asks = 0;
  for (const auto& item : reader->items()) {
    require(!item.asks.empty());
    asks += item.asks.size();
    for (const auto& ask : item.asks) {
      const int kinds = (ask.named != nullptr) + ask.rate.has_value() + ask.request.has_value();
      require(kinds == 1 && ask.key.size() <= CheckReader::most_key_parts);
    }
  }
  require(asks <= CheckReader::most_asks);
  return 0;
}
