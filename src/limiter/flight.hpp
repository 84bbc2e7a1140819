// SPDX-License-Identifier: Apache-2.0
// One batch on its way through the stores that it concerns: see routed_store.hpp for the rounds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "limiter/routed_store.hpp"
#include "limiter/site.hpp"

namespace weir::limiter {

class RoutedStore::Flight {
 public:
  explicit Flight(RoutedStore& router);
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  /// Takes the batch. `later`: the flight has become its own owner and completes the batch.
  Applied start(std::unique_ptr<Flight> self, StoreBatch& batch) noexcept;

 private:
  /// What one shared store is asked in one round.
  struct Leg : StoreBatch {
    Flight* flight = nullptr;
    std::size_t site = 0;
    std::vector<Op> questions;
    std::vector<Outcome> answers;
    std::vector<std::uint32_t> origins;  // of each question: its op in the batch
    std::uint32_t requests = 0;
  };

  /// Ops of the batch, by index, that are asked in one round.
  struct Task {
    enum class Kind : std::uint8_t {
      whole,   ///< a request that one place of one store decides in one step
      part,    ///< one part of a request whose counters stand in several places
      single,  ///< an op of another verb than acquire
    } kind = Kind::part;
    bool charge = true;  ///< where not: only what the limits would say is wanted
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t end = 0;  ///< of the request
  };

  void plan(std::uint32_t first, std::uint32_t last);
  void plan_shadows(const Task& enforced, bool charge);
  [[nodiscard]] bool stands_in_one_place(std::uint32_t first, std::uint32_t last) const noexcept;
  [[nodiscard]] bool stand_together(std::uint32_t left, std::uint32_t right) const noexcept;
  void ask(const Task& task);
  void ask_apart(const Task& task);
  void add_question(std::uint32_t index, Verb verb, std::uint16_t part);
  [[nodiscard]] bool fly() noexcept;
  void land(Leg& leg) noexcept;
  void take_numbers_of_refund(std::uint32_t index, const Outcome& refund) noexcept;
  void go_on() noexcept;
  void finish() noexcept;

  // What the answers of a round come to.
  void settle_round() noexcept;
  void settle(const Task& task) noexcept;
  void settle_single(const Task& task) noexcept;
  void settle_whole(const Task& task) noexcept;
  [[nodiscard]] bool settle_part(const Task& task) noexcept;
  [[nodiscard]] bool answers_admit(const Task& task) noexcept;
  [[nodiscard]] bool nearby_admits(const Task& task, bool charge) noexcept;
  [[nodiscard]] bool was_charged(const Task& task, std::uint32_t index) const noexcept;
  void apply_policy(std::uint32_t index) noexcept;

  /// What is decided in this process: by its table (0), or by what stands in for a site (1 + it).
  using Nearby = std::size_t;
  [[nodiscard]] bool concerns(Nearby nearby, std::uint32_t index) const noexcept;
  [[nodiscard]] bool concerns(Nearby nearby, const Task& task) const noexcept;
  [[nodiscard]] bool decide_nearby(Nearby nearby, const Task& task,
                                   std::optional<Verb> verb) noexcept;
  [[nodiscard]] Store& store_of(Nearby nearby);

  [[nodiscard]] const Op& op(std::uint32_t index) const noexcept { return batch_->ops[index]; }
  [[nodiscard]] Outcome& outcome(std::uint32_t index) const noexcept {
    return batch_->outcomes[index];
  }
  [[nodiscard]] std::uint32_t part_end(std::uint32_t first, std::uint32_t end) const noexcept;

  RoutedStore& router_;
  StoreBatch* batch_ = nullptr;
  std::vector<std::unique_ptr<Leg>> legs_;  // one for each site
  std::vector<Task> tasks_;                 // of this round
  std::vector<Task> next_tasks_;
  std::vector<std::uint32_t> refunds_;  // ops to be given back in the next round
  std::vector<Op> nearby_ops_;
  std::vector<Outcome> nearby_outcomes_;
  std::vector<std::uint32_t> nearby_origins_;
  std::vector<std::uint8_t> falls_back_;                  // of each op: the share decides it
  std::vector<std::shared_ptr<store::Table>> fallbacks_;  // one for each site, while it is used
  std::unique_ptr<Flight> self_;                          // while answers are awaited
  unsigned open_legs_ = 0;
};

}  // namespace weir::limiter
