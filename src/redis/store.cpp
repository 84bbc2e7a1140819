// SPDX-License-Identifier: Apache-2.0
// Which part answers on which thread.
#include "redis/store.hpp"

#include <algorithm>
#include <vector>

#include "redis/key_name.hpp"
#include "redis/loop_part.hpp"
#include "redis/scripts.hpp"
#include "redis/slot.hpp"

namespace weir::redis {
namespace {

Options with_scripts(Options options) {
  options.scripts.clear();
  for (const Script& script : all_scripts()) options.scripts.push_back(script.source);
  return options;
}

struct Attached {
  const RedisStore* store;
  RedisStore::LoopPart* part;
};

// Of this thread: one for each store that it asks.
thread_local std::vector<Attached> attached;  // NOLINT

}  // namespace

RedisStore::RedisStore(const Options& options, const Clock& clock)
    : options_(with_scripts(options)), clock_(clock) {}

RedisStore::~RedisStore() = default;

std::unique_ptr<RedisStore::LoopPart> RedisStore::attach(boost::asio::io_context& io) {
  auto part = std::make_unique<Part>(*this, io);
  attached.push_back({this, part.get()});
  return part;
}

RedisStore::Part::~Part() {
  is_closing_ = true;
  std::erase_if(attached, [this](const Attached& other) { return other.part == this; });
}

RedisStore::Part* RedisStore::part_of_this_thread() const noexcept {
  for (const Attached& one : attached) {
    if (one.store == this) return static_cast<Part*>(one.part);
  }
  return nullptr;
}

Store::Applied RedisStore::apply(StoreBatch& batch) noexcept {
  if (Part* part = part_of_this_thread()) return part->apply(batch);
  std::ranges::fill(batch.outcomes,
                    Outcome{.decision = {}, .status = Outcome::Status::unavailable});
  return Applied::now;
}

std::uint32_t RedisStore::place_of(const Key& subject) const noexcept {
  if (options_.topology != Topology::cluster) return 0;
  return slot_of(KeyName(options_.key_prefix, subject).view());
}

void RedisStore::carry_over(Time now, std::span<const CarryOver> moves) noexcept {
  if (Part* part = part_of_this_thread()) part->carry_over(now, moves);
}

void RedisStore::reset(const Key& key, const CompiledLimit& limit) noexcept {
  forget(clock_.now(), {.key = key, .limit = &limit});
}

void RedisStore::forget(Time now, const Op& op) noexcept {
  if (Part* part = part_of_this_thread()) part->forget(now, op);
}

}  // namespace weir::redis
