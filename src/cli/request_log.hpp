// SPDX-License-Identifier: Apache-2.0
// The requests of a log, kept small: a record of numbers for each request, each different text
// once. Logs have to be held whole, because they are not in order of time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cli/access_log.hpp"

namespace weir::cli {

class RequestLog {
 public:
  /// Takes at most about `most_bytes` of memory.
  explicit RequestLog(std::size_t most_bytes) noexcept : most_bytes_(most_bytes) {}

  /// Copies a request. False where the memory is used up; then nothing is kept of it.
  [[nodiscard]] bool add(const LoggedRequest& request);

  /// Brings the requests into order of time; those of one instant stay in the order they came in.
  void sort();

  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
  [[nodiscard]] bool empty() const noexcept { return records_.empty(); }

  /// Views into the log.
  [[nodiscard]] LoggedRequest operator[](std::size_t index) const;

 private:
  using TextId = std::uint32_t;
  struct Record {
    Time time;
    std::array<TextId, 5> texts;  // client, method, target, referer, user agent
  };

  TextId id_of(std::string_view text);

  std::size_t most_bytes_;
  std::size_t text_bytes_ = 0;
  std::deque<Record> records_;  // grows without ever holding two copies
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, TextId> ids_;  // views into texts_
};

}  // namespace weir::cli
