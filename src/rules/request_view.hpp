// SPDX-License-Identifier: Apache-2.0
// A request while it is matched: what is derived from it is derived once, and only if asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/client_address.hpp"
#include "rules/rule_set.hpp"

namespace weir::rules {

class RequestView {
 public:
  /// All three outlive the view. The scratch lends its memory.
  RequestView(const Request& request, const ClientTrust& trust, MatchScratch& scratch) noexcept
      : request_(request), trust_(trust), scratch_(scratch) {}

  [[nodiscard]] const Request& request() const noexcept { return request_; }
  [[nodiscard]] std::string_view method() const noexcept { return request_.method; }

  /// The path in normal form.
  [[nodiscard]] const NormalPath& path();

  /// The host in normal form: that of an absolute target, else that of the request.
  [[nodiscard]] std::string_view host();

  [[nodiscard]] const std::optional<Address>& client();

  /// What tells this client in a key: its address, IPv6 cut to the prefix. Empty for the clients
  /// that have none, who share one key.
  [[nodiscard]] std::string_view client_key();

  /// The first line of a header, by its name in lower case. Nothing where there is none.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept;

  /// The first cookie of that name, without the quotes around it.
  [[nodiscard]] std::optional<std::string_view> cookie(std::string_view name) const noexcept;

  /// The first parameter of that name in the query, decoded. Lives until the next call.
  [[nodiscard]] std::optional<std::string_view> query(std::string_view name);

  /// The first entry of that name.
  [[nodiscard]] std::optional<std::string_view> entry(std::string_view name) const noexcept;

  /// The token of `Authorization: Bearer TOKEN`, however the scheme and the blanks are written.
  [[nodiscard]] std::optional<std::string_view> bearer() const noexcept;

  /// `value` in lower case, without blanks around it. Lives until the next call.
  [[nodiscard]] std::string_view lowered(std::string_view value);

 private:
  const Request& request_;
  const ClientTrust& trust_;
  MatchScratch& scratch_;
  bool has_path_ = false;
  bool has_host_ = false;
  bool has_client_ = false;
  std::optional<Address> client_;
  Address client_network_;
};

}  // namespace weir::rules
