// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_MOVING_SLOTS_HPP
#define CLOCKWISE_DETAIL_SCHEME_MOVING_SLOTS_HPP

#include <algorithm>  // lower_bound
#include <concepts>   // unsigned_integral
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t
#include <vector>     // vector

namespace clockwise::detail {

/// The slots of a map that are moving, ascending, and the index of the member that each moves to.
template <std::unsigned_integral Index>
class MovingSlots {
 public:
  struct Move {
    std::uint32_t slot;
    Index target;
  };

  std::size_t size() const noexcept { return moves_.size(); }
  auto begin() const noexcept { return moves_.begin(); }
  auto end() const noexcept { return moves_.end(); }
  auto begin() noexcept { return moves_.begin(); }
  auto end() noexcept { return moves_.end(); }

  /// Returns nullptr if the slot is not moving. O(log S) for S moving slots.
  const Index* target_of(std::uint32_t slot) const noexcept {
    const auto at = std::lower_bound(moves_.begin(), moves_.end(), slot, is_before);
    return at != moves_.end() && at->slot == slot ? &at->target : nullptr;
  }

  /// Starts a move. One that is already moving gets the new target.
  void start(std::uint32_t slot, Index target) {
    const auto at = std::lower_bound(moves_.begin(), moves_.end(), slot, is_before);
    if (at != moves_.end() && at->slot == slot) {
      at->target = target;
    } else {
      moves_.insert(at, {slot, target});
    }
  }

  /// Ends the moves of slots `first` to `last`, both included; returns how many there were. `last`
  /// must be below 2^32 - 1.
  std::size_t stop(std::uint32_t first, std::uint32_t last) noexcept {
    const std::size_t before = moves_.size();
    moves_.erase(std::lower_bound(moves_.begin(), moves_.end(), first, is_before),
                 std::lower_bound(moves_.begin(), moves_.end(), last + 1, is_before));
    return before - moves_.size();
  }

  void swap(MovingSlots& other) noexcept { moves_.swap(other.moves_); }
  std::size_t bytes() const noexcept { return moves_.capacity() * sizeof(Move); }

 private:
  static bool is_before(const Move& move, std::uint32_t slot) noexcept { return move.slot < slot; }

  std::vector<Move> moves_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_MOVING_SLOTS_HPP
