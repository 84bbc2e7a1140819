// SPDX-License-Identifier: Apache-2.0
// What one request holds while it is decided: the locks of its groups, and the cells it counts on.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/static_vector.hpp"
#include "store/group.hpp"
#include "store/store.hpp"

namespace weir::store {

/// Where an entry stands.
struct Place {
  GroupIndex group = 0;
  std::uint8_t cell = 0;
  std::uint8_t width = 1;  ///< cells
};

class Hold {
 public:
  explicit Hold(std::span<Group> groups) noexcept : groups_(groups) {}
  ~Hold() { assert(!locked_); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  void want(GroupIndex group) noexcept {
    assert(!locked_);
    wanted_.push_back(group);
  }

  /// Locks all wanted groups, in ascending order: so no two requests wait for each other.
  void lock() noexcept {
    std::sort(wanted_.begin(), wanted_.end());
    wanted_.shrink(
        static_cast<std::size_t>(std::unique(wanted_.begin(), wanted_.end()) - wanted_.begin()));
    for (const GroupIndex group : wanted_) groups_[group].lock();
    locked_ = true;
  }

  /// Gives everything back; the hold can be used anew.
  void release() noexcept {
    for (const GroupIndex group : wanted_) groups_[group].unlock();
    wanted_.shrink(0);
    pins_.shrink(0);
    locked_ = false;
  }

  [[nodiscard]] bool holds(GroupIndex group) const noexcept {
    return std::binary_search(wanted_.begin(), wanted_.end(), group);
  }

  /// An entry that must stay where it is until the hold is released.
  void pin(const Place& place) noexcept { pins_.push_back(place); }

  [[nodiscard]] bool is_pinned(const Place& place) const noexcept {
    const auto overlaps = [&](const Place& pin) {
      return pin.group == place.group && pin.cell < place.cell + place.width &&
             place.cell < pin.cell + pin.width;
    };
    return std::any_of(pins_.begin(), pins_.end(), overlaps);
  }

 private:
  std::span<Group> groups_;
  bool locked_ = false;
  StaticVector<GroupIndex, 2 * most_ops_of_request> wanted_;  // sorted once locked
  StaticVector<Place, most_ops_of_request> pins_;
};

}  // namespace weir::store
