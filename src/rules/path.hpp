// SPDX-License-Identifier: Apache-2.0
// The normal form of a request's path, in which it is matched and keyed: no other spelling of a
// path escapes a rule.
//
//     target                 normal form     in normal form as written
//     /a/b?q=1               /a/b            yes
//     /a/b/                  /a/b            yes: a trailing slash is let pass
//     //a/%62;v=1/.          /a/b            no
//     /x/..;/a\b             /a/b            no
//     http://host/a/b        /a/b            no
//     /../../a               /a              no: there is nothing above the root
//     (empty)                /               no
//     *                      /*              no
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::rules {

/// A path in normal form. Reused from request to request, so that making one allocates nothing.
class NormalPath {
 public:
  /// Brings the path of a request target (any of its forms) into normal form: without query and
  /// fragment, percent-escapes decoded once, `\` read as `/`, `;...` dropped from each segment,
  /// repeated slashes merged, `.` and `..` resolved, a trailing slash dropped. Bytes are not
  /// interpreted beyond that: upper and lower case differ, a zero byte is a byte, and an overlong
  /// UTF-8 form of a character is not that character.
  void assign(std::string_view target);

  /// Starts with `/`. Views end with the next `assign`.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }

  /// What stands between the slashes; none for `/`.
  [[nodiscard]] const std::vector<std::string_view>& segments() const noexcept { return segments_; }

  /// The target's path was written just so (query and one trailing slash aside).
  [[nodiscard]] bool written_so() const noexcept { return written_so_; }

 private:
  void resolve_segments();

  std::string decoded_;
  std::string text_;
  std::vector<std::string_view> segments_;
  bool written_so_ = false;
};

/// What stands in `scheme://authority/path` between the slashes, without user information; empty
/// where the target has another form.
[[nodiscard]] std::string_view authority_of(std::string_view target) noexcept;

/// The query of a target, without its `?`.
[[nodiscard]] std::string_view query_of(std::string_view target) noexcept;

/// Appends `text` with its percent-escapes decoded. A `%` without two hexadecimal digits stays.
void append_unescaped(std::string_view text, std::string& out);

/// A host in the form in which it is matched and keyed: lower case, without port and trailing dots.
void append_normal_host(std::string_view host, std::string& out);

}  // namespace weir::rules
