// SPDX-License-Identifier: Apache-2.0
// URLs are cut, decoded, and shown without their passwords.
#include "redis/url_parts.hpp"

#include <algorithm>
#include <charconv>

#include "redis/options.hpp"

namespace weir::redis {

std::optional<UrlParts> cut_url(std::string_view url) {
  UrlParts parts;
  const auto colon = url.find("://");
  if (colon == url.npos) return {};
  parts.scheme = url.substr(0, colon);
  url.remove_prefix(colon + 3);
  if (const auto mark = url.find('?'); mark != url.npos) {
    parts.query = url.substr(mark + 1);
    url = url.substr(0, mark);
  }
  const auto at = parts.scheme == "unix" ? url.substr(0, url.find('/')).rfind('@') : url.rfind('@');
  if (at != url.npos) {
    parts.has_user_info = true;
    parts.user_info = url.substr(0, at);
    url.remove_prefix(at + 1);
  }
  const auto slash = std::min(url.find('/'), url.size());
  parts.authority = url.substr(0, slash);
  parts.path = url.substr(slash);
  return parts;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text[0] != '%') {
      out += text[0];
      text.remove_prefix(1);
      continue;
    }
    unsigned value = 0;
    const auto* digits = text.data() + 1;
    if (text.size() < 3) return {};
    const auto [end, failure] = std::from_chars(digits, digits + 2, value, 16);
    if (failure != std::errc{} || end != digits + 2) return {};
    out += static_cast<char>(value);
    text.remove_prefix(3);
  }
  return out;
}

namespace {

constexpr std::string_view hidden = "***";

}  // namespace

std::string without_passwords(std::string_view url) {
  const auto parts = cut_url(url);
  if (!parts) return std::string(url);
  std::string out(parts->scheme);
  out += "://";
  if (parts->has_user_info) {
    out += parts->user_info.substr(0, parts->user_info.find(':'));
    if (parts->user_info.find(':') != parts->user_info.npos) out.append(":").append(hidden);
    out += '@';
  }
  out.append(parts->authority).append(parts->path);
  char before = '?';
  for (auto rest = parts->query; !rest.empty(); before = '&') {
    const auto end = std::min(rest.find('&'), rest.size());
    const auto setting = rest.substr(0, end);
    const auto name = setting.substr(0, setting.find('='));
    (out += before).append(name.ends_with("password") ? name : setting);
    if (name.ends_with("password")) out.append("=").append(hidden);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace weir::redis
