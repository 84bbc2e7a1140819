// SPDX-License-Identifier: Apache-2.0
// What a loop has under way with the store.
//
//     batch -> Pending   how many of its questions are open
//                 ^
//              Question  one request: an exchange, and where its answer goes
//
// Both are reused, so that in the long run nothing is allocated.
#pragma once

#include <optional>
#include <vector>

#include "redis/client.hpp"
#include "redis/codec.hpp"
#include "redis/deny_cache.hpp"
#include "redis/mover.hpp"
#include "redis/pool.hpp"
#include "redis/store.hpp"

namespace weir::redis {

class RedisStore::Part final : public RedisStore::LoopPart {
 public:
  Part(RedisStore& store, boost::asio::io_context& io);
  ~Part() override;

  Applied apply(StoreBatch& batch);
  void carry_over(Time now, std::span<const CarryOver> moves);
  void forget(Time now, const Op& op);

 private:
  struct Pending {
    StoreBatch* batch = nullptr;
    std::size_t open = 0;
  };

  struct Question : Exchange {
    Part* part = nullptr;
    Pending* pending = nullptr;  // null: nobody waits for it
    std::optional<Key> forgets;  // a key that is reset by it
    Asked asked;
    bool is_broken = false;
    bool is_second = false;  // it was refused, and is asked once more
    std::vector<Found> found;
    std::vector<std::uint32_t> epochs;  // of the ops' keys when it was asked
  };

  Applied start(StoreBatch& batch);
  [[nodiscard]] bool must_wait();
  void greet();
  void greeted(Question& hello, Exchange::End end) noexcept;
  void start_parked() noexcept;
  [[nodiscard]] Time store_now(Time now, std::uint16_t slot) const noexcept;
  Question& new_question(const Op& op, Time now, Time deadline);
  void ask(Pending& pending, Time now, std::span<const Op> ops, std::span<Outcome> outcomes);
  void end(Question& question, Exchange::End end) noexcept;
  [[nodiscard]] bool ask_again(Question& question);
  void learn(const Question& question);
  void keep_window(const Question& question);
  void close(Question& question) noexcept;
  void forget_refusal(const Key& key) noexcept;
  [[nodiscard]] std::atomic<std::uint32_t>& epoch(const Key& key) noexcept;
  [[nodiscard]] bool is_known_refusal(Time now, std::span<const Op> ops,
                                      std::span<Outcome> outcomes) noexcept;

  RedisStore& store_;
  Codec codec_;
  DenyCache denied_;
  Pool<Question> questions_;
  Pool<Pending> pendings_;
  std::vector<Found> known_;  // scratch
  // They wait until the store's time is known, or what moves has arrived.
  std::vector<StoreBatch*> parked_;
  bool is_greeting_ = false;
  bool knows_time_ = false;
  bool is_closing_ = false;
  Mover mover_;
  Client client_;  // ends before what is above: that is there for what it ends
};

}  // namespace weir::redis
