// SPDX-License-Identifier: Apache-2.0
#include "cli/spelled.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace weir::cli {

namespace {

struct Unit {
  std::int64_t ns;
  int decimals;
  const char* name;
};

constexpr Unit units[] = {{1'000'000'000, 9, "s"}, {1'000'000, 6, "ms"}, {1'000, 3, "us"}};

}  // namespace

std::string spelled(Duration span) {
  if (span == never) return "never";
  if (span == Duration::zero()) return "0s";
  for (const auto& [ns, decimals, name] : units) {
    if (span.count() < ns) continue;
    auto number = fmt::format("{}.{:0{}}", span.count() / ns, span.count() % ns, decimals);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
    return number + name;
  }
  return fmt::format("{}ns", span.count());
}

std::string spelled(Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(seconds.time_since_epoch().count()));
}

std::string grouped(std::uint64_t number) {
  auto text = std::to_string(number);
  for (auto at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace weir::cli
