// SPDX-License-Identifier: Apache-2.0
#include "rules/key_expression.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "limit/text.hpp"
#include "rules/problems.hpp"
#include "rules/text.hpp"

namespace weir::rules {

namespace {

struct KindName {
  std::string_view name;
  SourceKind kind;
  bool takes_name;
};

constexpr std::array kinds{
    KindName{"ip", SourceKind::ip, false},         KindName{"header", SourceKind::header, true},
    KindName{"cookie", SourceKind::cookie, true},  KindName{"query", SourceKind::query, true},
    KindName{"host", SourceKind::host, false},     KindName{"path", SourceKind::path, false},
    KindName{"method", SourceKind::method, false}, KindName{"route", SourceKind::route, false},
    KindName{"entry", SourceKind::entry, true},    KindName{"bearer", SourceKind::bearer, false},
};

constexpr std::string_view all_kinds =
    "ip, header:NAME, cookie:NAME, query:NAME, host, path, method, route, entry:NAME, bearer, or a "
    "constant "
    "in single quotes";

Error error(std::string_view text, std::string_view why) {
  return {fmt::format("'{}': {}", shown(text), why)};
}

Error unknown_kind(std::string_view text, std::string_view kind) {
  std::array<std::string_view, kinds.size()> names;
  std::transform(kinds.begin(), kinds.end(), names.begin(),
                 [](const KindName& k) { return k.name; });
  const auto mend = did_you_mean(kind, names);
  return error(text, mend.empty() ? fmt::format("a part of a key is {}", all_kinds)
                                  : fmt::format("unknown part '{}'{}", shown(kind), mend));
}

/// Takes `NAME(...)` off the text.
bool unwrap(std::string_view& text, std::string_view name) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with('(') ||
      !text.ends_with(')')) {
    return false;
  }
  text = trimmed(text.substr(name.size() + 1, text.size() - name.size() - 2));
  return true;
}

Result<KeySource> parse_constant(std::string_view text, KeySource source) {
  if (text.size() < 3 || !text.ends_with('\'')) {
    return error(text, "a constant is a text in single quotes");
  }
  source.name = text.substr(1, text.size() - 2);
  if (source.lower || source.known) {
    return error(source.text, "a constant needs no lower() and no known()");
  }
  return source;
}

Result<KeySource> parse_source(std::string_view text) {
  KeySource source;
  source.text = text;
  source.known = unwrap(text, "known");
  source.lower = unwrap(text, "lower");
  if (text.empty()) {
    return error(source.text, fmt::format("a part is missing; it is {}", all_kinds));
  }
  if (text.front() == '\'') return parse_constant(text, std::move(source));
  std::string_view name = text;
  const auto kind_name = cut_first(name, ':');
  const bool has_name = kind_name.size() < text.size();
  const auto* kind = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const KindName& each) { return each.name == kind_name; });
  if (kind == kinds.end()) return unknown_kind(source.text, kind_name);
  if (kind->takes_name && name.empty()) {
    return error(source.text, fmt::format("a name is missing: {}:NAME", kind_name));
  }
  if (!kind->takes_name && has_name) {
    return error(source.text, fmt::format("'{}' stands alone, without a name", kind_name));
  }
  source.kind = kind->kind;
  source.name = name;
  const bool of_token = source.kind == SourceKind::header || source.kind == SourceKind::cookie;
  if (of_token && !is_token(name)) {
    return error(source.text, fmt::format("'{}' is no name of a {}", shown(name), kind_name));
  }
  if (source.kind == SourceKind::header) source.name = lower_case(name);
  return source;
}

/// The texts between the `|` that stand in no constant.
std::vector<std::string_view> alternatives_of(std::string_view text) {
  std::vector<std::string_view> result;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '\'') quoted = !quoted;
    if (at < text.size() && (text[at] != '|' || quoted)) continue;
    result.push_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return result;
}

std::optional<std::string_view> raw_value_of(const KeySource& source, const KeyContext& context) {
  RequestView& view = context.view;
  switch (source.kind) {
    case SourceKind::ip: return view.client_key();
    case SourceKind::header: return view.header(source.name);
    case SourceKind::cookie: return view.cookie(source.name);
    case SourceKind::query: return view.query(source.name);
    case SourceKind::host: return view.host();
    case SourceKind::path: return view.path().text();
    case SourceKind::method: return view.method();
    case SourceKind::route:
      return context.route != nullptr ? context.route->text() : std::string_view{};
    case SourceKind::entry: return view.entry(source.name);
    case SourceKind::bearer: return view.bearer();
    case SourceKind::constant: return source.name;
  }
  return {};
}

}  // namespace

bool KeySource::always_there() const noexcept {
  if (known) return false;
  switch (kind) {
    case SourceKind::header:
    case SourceKind::cookie:
    case SourceKind::query:
    case SourceKind::entry:
    case SourceKind::bearer: return false;
    default: return true;
  }
}

std::optional<std::string_view> value_of(const KeySource& source, const KeyContext& context) {
  auto value = raw_value_of(source, context);
  if (!value) return {};
  if (source.lower) value = context.view.lowered(*value);
  if (value->empty() && !source.always_there()) return {};
  if (source.known &&
      (context.known_values == nullptr || !context.known_values->contains(*value))) {
    return {};
  }
  return value;
}

Result<KeyPart> KeyPart::parse(std::string_view text) {
  const auto alternatives = alternatives_of(text);
  if (alternatives.size() > most_sources) {
    return error(text, fmt::format("more than {} alternatives", most_sources));
  }
  KeyPart part;
  for (const auto alternative : alternatives) {
    auto source = parse_source(alternative);
    if (!source) return Error{source.error()};
    part.sources.push_back(std::move(*source));
  }
  return part;
}

bool KeyPart::always_there() const noexcept {
  return std::any_of(sources.begin(), sources.end(),
                     [](const KeySource& s) { return s.always_there(); });
}

std::string KeyPart::to_string() const {
  std::string result;
  for (const auto& source : sources) result += (result.empty() ? "" : " | ") + source.text;
  return result;
}

bool add_to_key(const KeyPart& part, const KeyContext& context, KeyBuilder& key) {
  for (const auto& source : part.sources) {
    const auto value = value_of(source, context);
    if (!value) continue;
    key.add(static_cast<std::uint64_t>(source.kind) * 2 + (source.lower ? 1 : 0));
    key.add(source.name);
    key.add(*value);
    return true;
  }
  return false;
}

}  // namespace weir::rules
