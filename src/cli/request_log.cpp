// SPDX-License-Identifier: Apache-2.0
#include "cli/request_log.hpp"

#include <algorithm>
#include <limits>

namespace weir::cli {

namespace {

/// What a text costs beside its bytes: its string, its node and its share of the buckets.
constexpr std::size_t text_overhead = 128;

}  // namespace

RequestLog::TextId RequestLog::id_of(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<TextId>(texts_.size());
  ids_.emplace(texts_.emplace_back(text), id);
  text_bytes_ += text.size() + text_overhead;
  return id;
}

bool RequestLog::add(const LoggedRequest& request) {
  // Sorting takes half of the records once more.
  const std::size_t record_bytes = records_.size() * (sizeof(Record) + sizeof(Record) / 2);
  if (record_bytes + text_bytes_ >= most_bytes_) return false;
  if (texts_.size() > std::numeric_limits<TextId>::max() - 5) return false;
  records_.push_back({request.time,
                      {id_of(request.client), id_of(request.method), id_of(request.target),
                       id_of(request.referer), id_of(request.user_agent)}});
  return true;
}

void RequestLog::sort() {
  if (std::ranges::is_sorted(records_, {}, &Record::time)) return;
  std::ranges::stable_sort(records_, {}, &Record::time);
}

LoggedRequest RequestLog::operator[](std::size_t index) const {
  const auto& [time, texts] = records_[index];
  return {.time = time,
          .client = texts_[texts[0]],
          .method = texts_[texts[1]],
          .target = texts_[texts[2]],
          .referer = texts_[texts[3]],
          .user_agent = texts_[texts[4]]};
}

}  // namespace weir::cli
