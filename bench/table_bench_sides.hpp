// SPDX-License-Identifier: Apache-2.0
// The two sides that table_bench compares: what one would write without weir, and the key table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/key.hpp"
#include "limit/step.hpp"
#include "store/table.hpp"

namespace weir::bench {

/// A key's text where a server has it: in a buffer, next to others.
struct KeyText {
  std::array<char, 47> bytes;
  std::uint8_t size;
  [[nodiscard]] std::string_view view() const noexcept { return {bytes.data(), size}; }
};
static_assert(sizeof(KeyText) == 48);

/// 256 shards, each a mutex and a std::unordered_map from text to state; the arithmetic is weir's.
class MutexMap {
 public:
  Decision decide(const CompiledLimit& limit, std::string_view key, Time now) {
    Shard& shard = shards_[std::hash<std::string_view>{}(key) % shards_.size()];
    const std::lock_guard guard(shard.mutex);
    auto found = shard.states.find(key);
    if (found == shard.states.end()) found = shard.states.emplace(std::string(key), 0).first;
    return step(limit, Verb::acquire, 1, now, found->second);
  }

  std::uint64_t run(const CompiledLimit& limit, std::span<const KeyText> keys, Time now) {
    std::uint64_t allowed = 0;
    for (const auto& key : keys) allowed += decide(limit, key.view(), now).allowed ? 1 : 0;
    return allowed;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  struct alignas(64) Shard {
    std::mutex mutex;
    std::unordered_map<std::string, WordState, Hash, std::equal_to<>> states;
  };
  std::array<Shard, 256> shards_;
};

/// So many decisions are asked for together.
inline constexpr std::size_t batch_size = 64;

/// The key table; hashing the text is part of the work.
class KeyTable {
 public:
  explicit KeyTable(std::size_t memory_bytes)
      : table_({.memory_bytes = memory_bytes, .log_percent = 1}) {}

  std::uint64_t run_one_by_one(const CompiledLimit& limit, std::span<const KeyText> keys,
                               Time now) {
    std::uint64_t allowed = 0;
    for (const auto& key : keys) {
      const Op op = op_of(limit, key);
      Outcome outcome;
      apply({&op, 1}, {&outcome, 1}, now);
      allowed += outcome.decision.allowed ? 1 : 0;
    }
    return allowed;
  }

  std::uint64_t run_in_batches(const CompiledLimit& limit, std::span<const KeyText> keys,
                               Time now) {
    std::uint64_t allowed = 0;
    std::array<Op, batch_size> ops;
    std::array<Outcome, batch_size> outcomes;
    while (!keys.empty()) {
      const std::size_t count = std::min(keys.size(), batch_size);
      for (std::size_t at = 0; at < count; ++at) {
        ops[at] = op_of(limit, keys[at]);
        ops[at].request = static_cast<std::uint32_t>(at);
      }
      apply(std::span(ops).first(count), std::span(outcomes).first(count), now);
      for (std::size_t at = 0; at < count; ++at) allowed += outcomes[at].decision.allowed ? 1 : 0;
      keys = keys.subspan(count);
    }
    return allowed;
  }

  /// As many decisions as there are keys, all of the first one, which is hashed before.
  std::uint64_t run_hashed(const CompiledLimit& limit, std::span<const KeyText> keys,
                           std::size_t batch, Time now) {
    std::uint64_t allowed = 0;
    std::array<Op, batch_size> ops;
    std::array<Outcome, batch_size> outcomes;
    ops.fill(op_of(limit, keys[0]));
    for (std::size_t at = 0; at < batch; ++at) ops[at].request = static_cast<std::uint32_t>(at);
    for (std::size_t done = 0; done < keys.size(); done += batch) {
      apply(std::span(ops).first(batch), std::span(outcomes).first(batch), now);
      for (std::size_t at = 0; at < batch; ++at) allowed += outcomes[at].decision.allowed ? 1 : 0;
    }
    return allowed;
  }

 private:
  Op op_of(const CompiledLimit& limit, const KeyText& text) const noexcept {
    KeyBuilder builder(secret_);
    builder.add(text.view());
    return {.key = builder.key(), .limit = &limit};
  }

  void apply(std::span<const Op> ops, std::span<Outcome> outcomes, Time now) noexcept {
    StoreBatch batch;
    batch.now = now;
    batch.ops = ops;
    batch.outcomes = outcomes;
    table_.apply(batch);
  }

  const KeySecret secret_ = KeySecret::random();
  store::Table table_;
};

}  // namespace weir::bench
