// SPDX-License-Identifier: Apache-2.0
// What a loop has under way with the store.
//
//     batch -> Pending   how many of its questions are open
//                 ^
//              Question  one request: an exchange, and where its answer goes
//
// Both are reused, so that in the long run nothing is allocated.
#pragma once

#include <deque>
#include <vector>

#include "redis/client.hpp"
#include "redis/codec.hpp"
#include "redis/deny_cache.hpp"
#include "redis/store.hpp"

namespace weir::redis {

/// Objects that stay where they are, and are used again.
template <typename T>
class Pool {
 public:
  T& take() {
    if (free_.empty()) return all_.emplace_back();
    T& object = *free_.back();
    free_.pop_back();
    return object;
  }
  void give_back(T& object) { free_.push_back(&object); }

 private:
  std::deque<T> all_;
  std::vector<T*> free_;
};

class RedisStore::Part final : public RedisStore::LoopPart {
 public:
  Part(RedisStore& store, boost::asio::io_context& io);
  ~Part() override;

  Applied apply(StoreBatch& batch);
  void forget(Time now, const Op& op);

 private:
  struct Pending {
    StoreBatch* batch = nullptr;
    std::size_t open = 0;
  };

  struct Question : Exchange {
    Part* part = nullptr;
    Pending* pending = nullptr;  // null: nobody waits for it
    Asked asked;
    bool is_broken = false;
    bool is_second = false;  // it was refused, and is asked once more
    std::vector<Found> found;
    std::vector<std::uint32_t> epochs;  // of the ops' keys when it was asked
  };

  Question& new_question(const Op& op, Time now, Time deadline);
  void ask(Pending& pending, Time now, std::span<const Op> ops, std::span<Outcome> outcomes);
  void end(Question& question, Exchange::End end) noexcept;
  [[nodiscard]] bool ask_again(Question& question);
  void learn(const Question& question);
  void keep_window(const Question& question);
  void close(Question& question) noexcept;
  [[nodiscard]] std::atomic<std::uint32_t>& epoch(const Key& key) noexcept;
  [[nodiscard]] bool is_known_refusal(Time now, std::span<const Op> ops,
                                      std::span<Outcome> outcomes) noexcept;

  RedisStore& store_;
  Codec codec_;
  DenyCache denied_;
  Pool<Question> questions_;
  Pool<Pending> pendings_;
  std::vector<Found> known_;  // scratch
  Client client_;             // ends first: the others are there for what it ends
};

}  // namespace weir::redis
