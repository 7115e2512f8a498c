// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_MAGLEV_TABLE_HPP
#define CLOCKWISE_DETAIL_SCHEME_MAGLEV_TABLE_HPP

// The table of Maglev hashing: filling it, and reading it afterwards.

#include <concepts>  // unsigned_integral
#include <cstddef>   // size_t
#include <cstdint>   // uint32_t, uint64_t
#include <span>      // span
#include <string>    // to_string
#include <vector>    // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/fixed_point.hpp"

namespace clockwise::detail {

template <std::unsigned_integral Index>
class MaglevTable {
 public:
  static constexpr Index npos = static_cast<Index>(~Index{0});
  static constexpr std::uint32_t max_size = 5000011;

  /// One member's order of the entries: offset, offset + skip, offset + 2 skip, ... modulo the
  /// table's size, which is prime, so every entry is in it.
  class Cursor {
   public:
    /// From the two hashes of a member, for a table of `size` entries.
    Cursor(std::uint64_t offset_hash, std::uint64_t skip_hash, std::uint32_t size)
        : Cursor(static_cast<std::uint32_t>(offset_hash % size),
                 static_cast<std::uint32_t>(skip_hash % (size - 1) + 1)) {}
    Cursor(std::uint32_t offset, std::uint32_t skip) : next_(offset), skip_(skip) {}

   private:
    friend MaglevTable;
    std::uint32_t next_;
    std::uint32_t skip_;
  };

  /// Returns `size`. Throws std::invalid_argument unless it is a prime up to max_size.
  static std::uint32_t checked_size(std::uint32_t size) {
    bool prime = size >= 2;
    if (size > max_size) prime = false;
    for (std::uint32_t d = 2; prime && d * d <= size; ++d) prime = size % d != 0;
    if (!prime) {
      detail::fail_invalid("table_size must be a prime up to " + std::to_string(max_size) +
                           ", got " + std::to_string(size));
    }
    return size;
  }

  MaglevTable() = default;
  /// A table of free entries. Throws std::invalid_argument unless `size` is a prime up to max_size.
  explicit MaglevTable(std::uint32_t size)
      : size_(checked_size(size)),
        reciprocal_(~std::uint64_t{0} / size),
        repeated_(static_cast<std::uint32_t>(0 - reciprocal_ * size)),
        entries_(std::size_t{size} + repeated_, npos),
        free_(size) {}

  /// Makes `owner` the owner of the next free entry in its order. The table must not be full.
  void take(Cursor& cursor, Index owner) {
    while (true) {
      const std::uint32_t entry = cursor.next_;
      cursor.next_ += cursor.skip_;
      if (cursor.next_ >= size_) cursor.next_ -= size_;
      if (entries_[entry] != npos) continue;
      entries_[entry] = owner;
      if (entry < repeated_) entries_[size_ + entry] = owner;
      --free_;
      return;
    }
  }
  /// False for a moved-from table: it keeps its size but has no entries.
  bool full() const noexcept { return free_ == 0 && !entries_.empty(); }

  std::span<const Index> entries() const noexcept {
    return {entries_.data(), entries_.empty() ? 0 : size_};
  }
  std::size_t size() const noexcept { return size_; }
  /// Heap memory.
  std::size_t bytes() const noexcept { return entries_.capacity() * sizeof(Index); }

  /// Returns hash mod size.
  std::size_t entry_of(std::uint64_t hash) const noexcept {
    const std::size_t index = index_of(hash);
    return index >= size_ ? index - size_ : index;
  }
  /// Returns the owner of entry_of(hash), by two products and one read. The table must not be moved
  /// from; npos if the entry is free.
  Index owner_of(std::uint64_t hash) const noexcept { return entries_[index_of(hash)]; }

 private:
  /// Returns entry_of(hash), or its repetition after the end: hash minus size times the quotient.
  /// The quotient is too small, by 1, if hash mod size < hash * repeated_ / 2^64, because the
  /// reciprocal is (2^64 - repeated_) / size.
  std::size_t index_of(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash - detail::multiply_high(hash, reciprocal_) * size_);
  }

  std::uint32_t size_ = 0;
  std::uint64_t reciprocal_ = 0;
  std::uint32_t repeated_ = 0;  // at most size_
  std::vector<Index> entries_;  // `size_` of them, then the first `repeated_` again
  std::size_t free_ = 0;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_MAGLEV_TABLE_HPP
