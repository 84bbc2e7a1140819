// SPDX-License-Identifier: Apache-2.0
// The names of algorithms and authorities, and the short form of a limit.
#include <weir/limit.hpp>

#include <weir/decision.hpp>

#include "limit/text.hpp"

namespace weir {

std::string_view to_string(Algorithm algorithm) noexcept {
  switch (algorithm) {
    case Algorithm::token_bucket: return "token_bucket";
    case Algorithm::leaky_queue: return "leaky_queue";
    case Algorithm::fixed_window: return "fixed_window";
    case Algorithm::sliding_log: return "sliding_log";
    case Algorithm::sliding_counter: return "sliding_counter";
  }
  return "";
}

std::string_view to_string(Authority authority) noexcept {
  switch (authority) {
    case Authority::local: return "local";
    case Authority::shared: return "shared";
    case Authority::lease: return "lease";
    case Authority::fallback: return "fallback";
  }
  return "";
}

std::string Limit::to_string() const {
  std::string text = std::to_string(count_) + '/' + period_text(period_);
  if (burst_ != count_) text += " burst " + std::to_string(burst_);
  if (algorithm_ != Algorithm::token_bucket) {
    text += ' ';
    text += weir::to_string(algorithm_);
  }
  return text;
}

}  // namespace weir
