// SPDX-License-Identifier: Apache-2.0
#include "rules/request_view.hpp"

#include <algorithm>

#include "rules/text.hpp"

namespace weir::rules {

namespace {

/// A parameter's name or value as it was before it was encoded for the query.
void decode_parameter(std::string_view text, std::string& out) {
  out.clear();
  append_unescaped(text, out);
  if (text.find('+') == text.npos) return;
  out.clear();
  while (!text.empty()) {
    const bool more = text.find('+') != text.npos;
    append_unescaped(cut_first(text, '+'), out);
    if (more) out.push_back(' ');
  }
}

}  // namespace

const NormalPath& RequestView::path() {
  if (!has_path_) scratch_.path.assign(request_.target);
  has_path_ = true;
  return scratch_.path;
}

std::string_view RequestView::host() {
  if (!has_host_) {
    const auto authority = authority_of(request_.target);
    scratch_.host.clear();
    append_normal_host(authority.empty() ? request_.host : authority, scratch_.host);
  }
  has_host_ = true;
  return scratch_.host;
}

const std::optional<Address>& RequestView::client() {
  if (!has_client_) client_ = trust_.client_of(request_);
  has_client_ = true;
  return client_;
}

std::string_view RequestView::client_key() {
  if (!client()) return {};
  client_network_ = client_->cut_to(trust_.ipv6_prefix);
  return client_network_.view();
}

std::optional<std::string_view> RequestView::header(std::string_view name) const noexcept {
  for (const auto& header : request_.headers) {
    if (equals_ignoring_case(header.name, name)) return trimmed(header.value);
  }
  return {};
}

std::optional<std::string_view> RequestView::cookie(std::string_view name) const noexcept {
  for (const auto& header : request_.headers) {
    if (!equals_ignoring_case(header.name, "cookie")) continue;
    for (std::string_view rest = header.value; !rest.empty();) {
      auto value = trimmed(cut_first(rest, ';'));
      if (trimmed(cut_first(value, '=')) != name) continue;
      value = trimmed(value);
      const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
      return quoted ? value.substr(1, value.size() - 2) : value;
    }
  }
  return {};
}

std::optional<std::string_view> RequestView::query(std::string_view name) {
  for (auto rest = query_of(request_.target); !rest.empty();) {
    auto value = cut_first(rest, '&');
    decode_parameter(cut_first(value, '='), scratch_.decoded);
    if (scratch_.decoded != name) continue;
    decode_parameter(value, scratch_.decoded);
    return scratch_.decoded;
  }
  return {};
}

std::optional<std::string_view> RequestView::entry(std::string_view name) const noexcept {
  for (const auto& entry : request_.entries) {
    if (entry.name == name) return entry.value;
  }
  return {};
}

std::optional<std::string_view> RequestView::bearer() const noexcept {
  constexpr std::string_view scheme = "bearer";
  const auto value = header("authorization");
  if (!value || value->size() <= scheme.size() || !is_blank((*value)[scheme.size()])) return {};
  if (!equals_ignoring_case(value->substr(0, scheme.size()), scheme)) return {};
  return trimmed(value->substr(scheme.size()));
}

std::string_view RequestView::lowered(std::string_view value) {
  value = trimmed(value);
  scratch_.lowered.resize(value.size());
  std::transform(value.begin(), value.end(), scratch_.lowered.begin(), to_lower);
  return scratch_.lowered;
}

}  // namespace weir::rules
