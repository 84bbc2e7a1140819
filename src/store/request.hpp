// SPDX-License-Identifier: Apache-2.0
// One request on the table, all or nothing.
//
//   find    which groups the keys stand in, without locks
//   lock    these groups (both of a key that was not found), ascending; look again
//   peek    what each limit would say, with the numbers as they stand
//   reserve where a part admits: a place for each of its keys that is new, memory for its logs
//   charge  where everything is reserved: take the step; nothing can refuse any more
//   unlock
//
// Until the last step nothing that can be observed has changed.
#pragma once

#include <optional>
#include <span>

#include "base/static_vector.hpp"
#include "store/slots.hpp"

namespace weir::store {

class Request {
 public:
  /// The ops are one acquire of several limits, or a single op of any verb.
  Request(Slots& slots, Time now, std::span<const Op> ops, std::span<Outcome> outcomes) noexcept;

  void decide() noexcept;

 private:
  struct Target {
    Address address;
    std::optional<Place> place;
    bool is_overflow = false;
    bool is_charged = false;
  };

  /// The ops of one part, by index.
  struct Part {
    std::size_t first;
    std::size_t last;
  };

  enum class Reserved : std::uint8_t { yes, no, elsewhere };

  void lock(bool both_groups) noexcept;
  [[nodiscard]] bool find_all() noexcept;
  [[nodiscard]] bool decide_locked() noexcept;
  [[nodiscard]] Part part_from(std::size_t first) const noexcept;
  [[nodiscard]] bool peek(Part part) noexcept;
  [[nodiscard]] Reserved reserve(Part part) noexcept;
  [[nodiscard]] Reserved reserve(std::size_t index) noexcept;
  [[nodiscard]] Reserved no_room(std::size_t index) noexcept;
  [[nodiscard]] Duration wait_for_room(std::size_t index) const noexcept;
  void charge(Part part) noexcept;
  [[nodiscard]] Decision step(std::size_t index, Verb verb) noexcept;
  [[nodiscard]] Eviction eviction(const Target& target) const noexcept;

  Slots& slots_;
  const Time now_;
  const std::span<const Op> ops_;
  const std::span<Outcome> outcomes_;
  Hold hold_;
  StaticVector<Target, most_ops_of_request> targets_;  // one for each op
};

}  // namespace weir::store
