// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_MAGLEV_TABLE_HPP
#define CLOCKWISE_DETAIL_MAGLEV_TABLE_HPP

// The table of Maglev hashing while it is filled, and the reading of it afterwards.

#include <concepts>  // unsigned_integral
#include <cstddef>   // size_t
#include <cstdint>   // uint32_t, uint64_t
#include <span>      // span
#include <string>    // to_string
#include <vector>    // vector

#include "clockwise/detail/error.hpp"
#include "clockwise/detail/fixed_point.hpp"

namespace clockwise::detail {

template <std::unsigned_integral Index>
class MaglevTable {
 public:
  static constexpr Index npos = static_cast<Index>(~Index{0});
  static constexpr std::uint32_t max_size = 5000011;

  /// One member's way through the table: offset, offset + skip, offset + 2 skip, ... modulo its
  /// size, which is prime, so that the way passes every entry.
  class Cursor {
   public:
    /// What the two hashes of a member come to in a table of `size` entries.
    Cursor(std::uint64_t offset_hash, std::uint64_t skip_hash, std::uint32_t size)
        : Cursor(static_cast<std::uint32_t>(offset_hash % size),
                 static_cast<std::uint32_t>(skip_hash % (size - 1) + 1)) {}
    Cursor(std::uint32_t offset, std::uint32_t skip) : next_(offset), skip_(skip) {}

   private:
    friend MaglevTable;
    std::uint32_t next_;
    std::uint32_t skip_;
  };

  MaglevTable() = default;
  /// All entries free. Throws std::invalid_argument unless `size` is prime and at most max_size.
  explicit MaglevTable(std::uint32_t size)
      : entries_(checked(size), npos), free_(size), reciprocal_(~std::uint64_t{0} / size) {}

  /// The owner takes the next free entry on its way. The table is not full.
  void take(Cursor& cursor, Index owner) {
    const auto size = static_cast<std::uint32_t>(entries_.size());
    while (true) {
      Index& entry = entries_[cursor.next_];
      cursor.next_ += cursor.skip_;
      if (cursor.next_ >= size) cursor.next_ -= size;
      if (entry != npos) continue;
      entry = owner;
      --free_;
      return;
    }
  }
  bool full() const noexcept { return free_ == 0; }

  std::span<const Index> entries() const noexcept { return entries_; }
  std::size_t size() const noexcept { return entries_.size(); }

  /// hash mod size, by a product: the estimate of the quotient is at most 1 too small.
  std::size_t entry_of(std::uint64_t hash) const noexcept {
    const std::uint64_t size = entries_.size();
    const std::uint64_t rest = hash - multiply_high(hash, reciprocal_) * size;
    return static_cast<std::size_t>(rest >= size ? rest - size : rest);
  }

 private:
  static std::uint32_t checked(std::uint32_t size) {
    bool prime = size >= 2;
    if (size > max_size) prime = false;
    for (std::uint32_t d = 2; prime && d * d <= size; ++d) prime = size % d != 0;
    if (!prime) {
      fail_invalid("a Maglev table of " + std::to_string(size) +
                   " entries; the size is a prime of at most " + std::to_string(max_size));
    }
    return size;
  }

  std::vector<Index> entries_;
  std::size_t free_ = 0;
  std::uint64_t reciprocal_ = 0;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_MAGLEV_TABLE_HPP
