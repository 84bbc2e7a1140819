// SPDX-License-Identifier: Apache-2.0
#include "rules/path.hpp"

#include <algorithm>

#include "rules/text.hpp"

namespace weir::rules {

namespace {

int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// The place of `//` in `scheme://...`, or npos.
std::size_t find_authority(std::string_view target) noexcept {
  if (target.empty() || !is_letter(target[0])) return target.npos;
  const auto end = std::find_if_not(target.begin(), target.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
  const auto scheme = static_cast<std::size_t>(end - target.begin());
  return target.substr(scheme).starts_with("://") ? scheme + 1 : target.npos;
}

/// The path of a target as it is written.
std::string_view raw_path_of(std::string_view target) noexcept {
  target = target.substr(0, target.find_first_of("?#"));
  const auto authority = find_authority(target);
  if (authority == target.npos) return target;
  const auto path = target.find_first_of("/\\", authority + 2);
  return path == target.npos ? std::string_view{} : target.substr(path);
}

}  // namespace

void append_unescaped(std::string_view text, std::string& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto escape = std::min(text.find('%', at), text.size());
    out.append(text, at, escape - at);
    at = escape;
    if (at == text.size()) break;
    const int high = at + 2 < text.size() ? hex_value(text[at + 1]) : -1;
    const int low = at + 2 < text.size() ? hex_value(text[at + 2]) : -1;
    const bool whole = high >= 0 && low >= 0;
    out.push_back(whole ? static_cast<char>(high * 16 + low) : '%');
    at += whole ? 3 : 1;
  }
}

void NormalPath::assign(std::string_view target) {
  const auto raw = raw_path_of(target);
  decoded_.clear();
  append_unescaped(raw, decoded_);
  std::replace(decoded_.begin(), decoded_.end(), '\\', '/');
  resolve_segments();
  const auto written = target.substr(0, target.find('?'));
  written_so_ = written == text_ || (text_.size() > 1 && written.size() == text_.size() + 1 &&
                                     written.back() == '/' && written.starts_with(text_));
}

void NormalPath::resolve_segments() {
  segments_.clear();
  text_.clear();
  for (std::string_view rest = decoded_; !rest.empty();) {
    std::string_view segment = cut_first(rest, '/');
    segment = cut_first(segment, ';');
    if (segment.empty() || segment == ".") continue;
    if (segment != "..") {
      segments_.push_back(segment);
    } else if (!segments_.empty()) {
      segments_.pop_back();
    }
  }
  text_.reserve(decoded_.size() + 1);
  for (auto& segment : segments_) {
    text_.push_back('/');
    text_.append(segment);
    segment = std::string_view(text_).substr(text_.size() - segment.size());
  }
  if (text_.empty()) text_.push_back('/');
}

std::string_view authority_of(std::string_view target) noexcept {
  const auto slashes = find_authority(target);
  if (slashes == target.npos) return {};
  const auto begin = slashes + 2;
  const auto authority = target.substr(begin, target.find_first_of("/\\?#", begin) - begin);
  const auto user = authority.rfind('@');
  return user == authority.npos ? authority : authority.substr(user + 1);
}

std::string_view query_of(std::string_view target) noexcept {
  target = target.substr(0, target.find('#'));
  const auto mark = target.find('?');
  return mark == target.npos ? std::string_view{} : target.substr(mark + 1);
}

void append_normal_host(std::string_view host, std::string& out) {
  const auto close = host.starts_with('[') ? host.find(']') : host.npos;
  host = close == host.npos ? host.substr(0, host.find(':')) : host.substr(0, close + 1);
  while (host.ends_with('.')) host.remove_suffix(1);
  std::transform(host.begin(), host.end(), std::back_inserter(out), to_lower);
}

}  // namespace weir::rules
