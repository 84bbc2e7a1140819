// SPDX-License-Identifier: Apache-2.0
#include "redis/key_name.hpp"

namespace weir::redis {
namespace {

bool is_packed(const Op& op) noexcept {
  return op.shared != nullptr && op.shared->pack != Key{} && op.limit->shape != Shape::log;
}

std::uint64_t window_of(const Op& op, Time now) noexcept {
  return static_cast<std::uint64_t>(now.time_since_epoch() / op.limit->limit.period());
}

}  // namespace

FieldName::FieldName(const Op& op) noexcept {
  if (!is_packed(op)) return;
  for (; size_ < bytes_.size(); ++size_) bytes_[size_] = static_cast<char>(op.key.lo >> 8 * size_);
}

KeyName key_name(std::string_view prefix, const Op& op, Time now) noexcept {
  KeyName name(prefix, op.subject);
  if (is_packed(op)) {
    name.add_hash(op.shared->pack.hi ^ op.subject.hi);
  } else if (op.limit->limit.algorithm() == Algorithm::fixed_window) {
    name.add_hash(op.key.hi + window_of(op, now));
  } else {
    name.add_hash(op.key.hi);
  }
  if (op.limit->shape == Shape::log) name.add("l");
  return name;
}

}  // namespace weir::redis
