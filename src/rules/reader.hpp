// SPDX-License-Identifier: Apache-2.0
// Typed access to a document. What does not fit becomes a problem, and reading goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weir/clock.hpp>

#include "rules/document.hpp"
#include "rules/problems.hpp"

namespace weir::rules {

/// A node under the name by which problems call it. Its place is that of its key in a map, of
/// itself in a list.
struct Value {
  const Node* node;
  Place place;

  [[nodiscard]] bool is_map() const noexcept { return node->kind == Node::Kind::map; }
  [[nodiscard]] bool is_list() const noexcept { return node->kind == Node::Kind::list; }
  [[nodiscard]] bool is_text() const noexcept { return node->kind == Node::Kind::scalar; }
};

struct NamedValue {
  std::string_view name;
  Value value;
};

/// Reads the values of one file.
class Reader {
 public:
  explicit Reader(Problems& problems) : problems_(problems) {}

  [[nodiscard]] Problems& problems() noexcept { return problems_; }
  void error(const Value& value, std::string text) {
    problems_.error(value.place, std::move(text));
  }
  void warning(const Value& value, std::string text) {
    problems_.warning(value.place, std::move(text));
  }

  /// The entries of a map, each key once (a second one is a problem), in the order of the file.
  [[nodiscard]] std::vector<NamedValue> entries(const Value& map, std::string_view wanted);

  /// The items of a list of at most `most`, or the value itself where it stands alone. An empty
  /// list is a problem unless it means something.
  enum class EmptyList : bool { refused, allowed };
  [[nodiscard]] std::vector<Value> items(const Value& value, std::size_t most,
                                         EmptyList empty = EmptyList::refused);

  /// A text of at least one character.
  [[nodiscard]] std::optional<std::string_view> text(const Value& value, std::string_view wanted);

  /// A text with a meaning of its own: one of `names`, told by its index.
  [[nodiscard]] std::optional<std::size_t> choice(const Value& value,
                                                  std::span<const std::string_view> names);

  [[nodiscard]] std::optional<bool> boolean(const Value& value);

  struct Range {
    std::uint64_t least, most;
  };
  [[nodiscard]] std::optional<std::uint64_t> number(const Value& value, Range range);

  struct DurationRange {
    Duration least, most;
  };
  [[nodiscard]] std::optional<Duration> duration(const Value& value, DurationRange range);

  /// A size in bytes: `256MiB`.
  [[nodiscard]] std::optional<std::uint64_t> bytes(const Value& value, Range range);

  /// A name of a rule, limit or plan, as answers, metrics and logs tell it.
  [[nodiscard]] bool check_name(const Value& place, std::string_view name);

 private:
  Problems& problems_;
};

/// A map whose keys are known: others are problems.
class Section {
 public:
  Section(Reader& reader, const Value& value, std::initializer_list<std::string_view> keys);

  /// The value of a key that is written and not empty.
  [[nodiscard]] const Value* find(std::string_view key) const noexcept;

  /// Some key is unknown or empty: what seems missing may be what it was meant to be.
  [[nodiscard]] bool has_faults() const noexcept { return has_faults_; }

 private:
  std::vector<NamedValue> entries_;
  bool has_faults_ = false;
};

[[nodiscard]] std::string_view kind_of(const Node& node) noexcept;

}  // namespace weir::rules
