// SPDX-License-Identifier: Apache-2.0
// `store`: where counters stand, of the file and of each rule, and what answers when it is away.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "limit/text.hpp"
#include "rules/config_reading.hpp"
#include "rules/text.hpp"

namespace weir::rules {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view in_memory = "memory";
constexpr std::string_view wanted_store =
    "'memory', or the URL of a Redis or Valkey server: redis://HOST:PORT, rediss://, unix://PATH, "
    "redis+sentinel://, redis+cluster://";
constexpr std::size_t most_stores = 16;

std::optional<OnStoreFailure> read_on_failure(Reader& reader, const Value& value) {
  static constexpr std::array<std::string_view, 3> names{"allow", "deny", "local"};
  constexpr std::array meanings{OnStoreFailure::allow, OnStoreFailure::deny, OnStoreFailure::local};
  const auto choice = reader.choice(value, names);
  return choice ? std::optional(meanings[*choice]) : std::nullopt;
}

}  // namespace

Stores::Stores(Reader& reader, const Overrides& overrides, std::vector<StoreConfig>& all)
    : reader_(reader), overrides_(overrides), all_(all) {}

void Stores::read(const Section& root) {
  StoreConfig store;
  if (const auto* value = root.find("store")) {
    store.field = value->place.field;
    store.line = value->place.line;
    store.column = value->place.column;
    if (value->is_map()) {
      read_map(*value, store);
    } else {
      store.url = read_url(*value).value_or("");
    }
  }
  if (overrides_.store_url) {
    store.url = *overrides_.store_url;
    store.field = "--store";
    store.line = store.column = 0;
  }
  if (const auto* value = root.find("on_store_failure")) {
    asked_ = read_on_failure(reader_, *value);
    if (is_memory(store.url)) reader_.warning(*value, "has no effect: the store is this memory");
  }
  if (overrides_.on_store_failure) asked_ = overrides_.on_store_failure;
  if (is_memory(store.url)) return;
  const auto [store_line, store_column] = std::pair(store.line, store.column);
  all_.push_back(std::move(store));
  of_file_ = 0;
  if (!asked_ && root.find("on_store_failure") == nullptr) {
    const bool by_flag = overrides_.store_url.has_value();
    const Place place{store_line, store_column,
                      by_flag ? "--on-store-failure" : "on_store_failure"};
    reader_.problems().error(
        place,
        "is missing: say what answers when the store is out of reach, for limits asked by "
        "name or brought by the request: allow, deny (503) or local");
  }
  check_instances(asked_, 0, nullptr);
}

/// A store's URL; nothing where it is this memory, or no store.
std::optional<std::string> Stores::read_url(const Value& value) {
  const auto text = reader_.text(value, wanted_store);
  if (!text || *text == in_memory) return {};
  if (text->find("://") != text->npos) return std::string(*text);
  static constexpr std::array stores{in_memory};
  reader_.error(value, fmt::format("'{}': {} is wanted{}", shown(*text), wanted_store,
                                   did_you_mean(*text, stores)));
  return {};
}

void Stores::read_map(const Value& value, StoreConfig& store) {
  const Section section(
      reader_, value,
      {"url", "mode", "secret", "instances", "timeout", "deny_cache", "fallback_memory"});
  if (const auto* url = section.find("url")) {
    store.field = url->place.field;
    store.line = url->place.line;
    store.column = url->place.column;
    store.url = read_url(*url).value_or("");
  } else if (!section.has_faults()) {
    reader_.error(value, fmt::format("'url' is missing: {}", wanted_store));
  }
  if (const auto* mode = section.find("mode")) {
    static constexpr std::array<std::string_view, 1> modes{"direct"};
    static_cast<void>(reader_.choice(*mode, modes));
  }
  if (const auto* secret = section.find("secret")) {
    store.secret = reader_.text(*secret, "a secret text").value_or("");
  }
  if (const auto* instances = section.find("instances")) {
    store.instances = reader_.number(*instances, {1, 100'000}).value_or(1);
  }
  if (const auto* timeout = section.find("timeout")) {
    store.timeout = reader_.duration(*timeout, {1ms, 10s});
  }
  if (const auto* cache = section.find("deny_cache")) {
    store.deny_cache = reader_.duration(*cache, {0s, 1min});
  }
  if (const auto* memory = section.find("fallback_memory")) {
    store.fallback_bytes = reader_.bytes(*memory, {std::size_t{128} << 10, std::size_t{64} << 30})
                               .value_or(store.fallback_bytes);
  }
}

/// Which store a rule names; its place among the shared ones, or nothing: memory.
std::optional<std::uint16_t> Stores::named_by(const Value& value) {
  auto url = read_url(value);
  if (!url) return {};
  const auto known = std::ranges::find(all_, *url, &StoreConfig::url);
  if (known != all_.end()) return static_cast<std::uint16_t>(known - all_.begin());
  if (all_.size() == most_stores) {
    reader_.error(value, fmt::format("is one store too many: at most {} are shared", most_stores));
    return {};
  }
  StoreConfig store;
  if (of_file_) store = all_[*of_file_];  // its settings hold for the others too
  store.url = *std::move(url);
  store.field = value.place.field;
  store.line = value.place.line;
  store.column = value.place.column;
  all_.push_back(std::move(store));
  return static_cast<std::uint16_t>(all_.size() - 1);
}

std::optional<StorePlace> Stores::of_rule(const Section& rule, const Value& place) {
  auto store = of_file_;
  if (const auto* value = rule.find("store")) store = named_by(*value);
  const auto* value = rule.find("on_store_failure");
  std::optional<OnStoreFailure> on_failure;
  if (value != nullptr) on_failure = read_on_failure(reader_, *value);
  if (!store) {
    if (value != nullptr) {
      reader_.warning(*value, "has no effect: this rule's counters are in this process's memory");
    }
    return {};
  }
  if (value == nullptr) on_failure = overrides_.on_store_failure;
  if (value == nullptr && !on_failure) {
    reader_.error(place,
                  "'on_store_failure' is missing: this rule's counters are in a shared store; say "
                  "what answers when it is out of reach: allow, deny (503) or local (this "
                  "instance's share)");
  }
  check_instances(on_failure, *store, value);
  return StorePlace{*store, on_failure.value_or(OnStoreFailure::deny),
                    std::max<std::uint64_t>(all_[*store].instances, 1)};
}

std::optional<StorePlace> Stores::of_asked() const {
  if (!of_file_) return {};
  return StorePlace{*of_file_, asked_.value_or(OnStoreFailure::deny),
                    std::max<std::uint64_t>(all_[*of_file_].instances, 1)};
}

void Stores::check_instances(std::optional<OnStoreFailure> on_failure, std::uint16_t store,
                             const Value* place) {
  if (on_failure != OnStoreFailure::local || all_[store].instances != 0) return;
  constexpr std::string_view text =
      "'local' is this instance's share of the limit: say how many instances share it, "
      "'store: {url: ..., instances: N}'";
  place != nullptr ? reader_.error(*place, std::string(text))
                   : reader_.problems().error({0, 0, "on_store_failure"}, std::string(text));
}

bool Stores::is_memory(std::string_view url) { return url.empty() || url == in_memory; }

}  // namespace weir::rules
