// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_RING_TABLE_HPP
#define CLOCKWISE_DETAIL_RING_RING_TABLE_HPP

// The sorted table of every ring flavour: the positions of the vnodes, and their owners.
//
// A table knows no hashes and no names. Native rings fill it with hashes of labels, token rings
// with tokens. A flavour whose circle has 32 bits, like ketama, shifts its points and keys up by 32
// bits. That keeps order, ties, wrapping and every proportion, so one lookup, one walk, one sum of
// shares and one diff serve all of them.
//
//   rank        0      1      2      3      4
//   positions   3      17     17     40     90      ascending; equal ones by owner
//   owners      2      0      1      2      0       indices in id order
//   arc         (90,3] (3,17] none   (17,40] (40,90]
//
// Owners are numbered in id order. So ties are in the right order after sorting, two tables with
// the same members have equal arrays, and shares are in id order.

#include <array>        // array
#include <bit>          // bit_width
#include <compare>      // strong_ordering
#include <concepts>     // same_as, unsigned_integral
#include <cstddef>      // size_t
#include <cstdint>      // uint16_t, uint32_t, uint64_t
#include <span>         // span
#include <type_traits>  // conditional_t
#include <utility>      // move

#include "clockwise/arc.hpp"
#include "clockwise/detail/base/plain_vector.hpp"
#include "clockwise/detail/ring/lookup_index.hpp"
#include "clockwise/detail/ring/vnode_sort.hpp"
#include "clockwise/fwd.hpp"

namespace clockwise::detail {

/// Returns the arc between a vnode and the previous one, of ascending `positions`. If both share a
/// position, the arc is empty, which the result cannot express: call it only for the first of them.
inline Arc arc_at(std::span<const std::uint64_t> positions, std::size_t rank) noexcept {
  return {positions[rank == 0 ? positions.size() - 1 : rank - 1], positions[rank]};
}

/// Calls visit(Arc, owner) for each arc in the order of last positions. Together the arcs are the
/// circle, without gap or overlap. O(M).
template <class Index, class Visit>
void for_each_arc(std::span<const std::uint64_t> positions, std::span<const Index> owners,
                  Visit visit) {
  for (std::size_t rank = 0; rank < positions.size(); ++rank) {
    if (rank == 0 || positions[rank] != positions[rank - 1]) {
      visit(detail::arc_at(positions, rank), owners[rank]);
    }
  }
}

/// Replaces the index in a table without one.
struct SearchOnly {};

/// `Lookup`: BucketIndex or NoIndex.
template <std::unsigned_integral Index, class Lookup = BucketIndex>
class RingTable {
  static constexpr bool has_index = std::same_as<Lookup, BucketIndex>;
  static_assert(has_index || std::same_as<Lookup, NoIndex>,
                "clockwise: Lookup must be BucketIndex or NoIndex");

  static_assert(!std::same_as<Index, bool>,
                "clockwise: Index must number nodes, so it cannot be bool");

 public:
  RingTable() = default;

  /// No owner: no node ever has this index.
  static constexpr Index npos = static_cast<Index>(~Index{0});

  using Vnode = detail::Vnode;

  /// A change of membership, made of whole vnodes.
  struct Change {
    PlainVector<Vnode> added;     ///< Owners numbered as after the change; in any order.
    PlainVector<Vnode> dropped;   ///< Owners numbered as before it; each is in the table.
    PlainVector<Index> renumber;  ///< From old number to new, ascending; empty: all stay.
  };

  std::size_t size() const noexcept { return positions_.size(); }
  bool empty() const noexcept { return positions_.empty(); }
  std::span<const std::uint64_t> positions() const noexcept {
    return {positions_.data(), positions_.size()};
  }
  std::span<const Index> owners() const noexcept { return {owners_.data(), owners_.size()}; }

  /// Returns the rank of the first vnode at or after `position`; wraps past the end. 0 if the table
  /// is empty.
  std::size_t rank_of(std::uint64_t position) const noexcept {
    return rank_of(position, {owners_.data(), sizeof(Index)});
  }
  /// As above, for callers that read `rows` next, not the owners.
  std::size_t rank_of(std::uint64_t position, [[maybe_unused]] Rows rows) const noexcept {
    if (empty()) return 0;
    if constexpr (has_index) {
      return index_.rank(position, positions(), rows);
    } else {
      return search(position);
    }
  }

  /// Returns the owner of `position`; npos if the table is empty.
  Index owner_of(std::uint64_t position) const noexcept {
    if (empty()) return npos;
    if constexpr (has_index) {
      return index_.owner(position, positions(), this->owners());
    } else {
      return owners_[search(position)];
    }
  }

  /// Sets owners[i] = owner_of(positions[i]). The lengths must be equal.
  template <class Key>
  void owners_of(std::span<const Key> positions, std::span<Index> owners) const noexcept {
    if constexpr (has_index) {
      if (!empty()) return index_.owners_of(positions, owners, this->positions(), this->owners());
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
      owners[i] = owner_of(static_cast<std::uint64_t>(positions[i]));
    }
  }

  /// Heap memory of the arrays and the index.
  std::size_t bytes() const noexcept {
    std::size_t bytes =
        positions_.capacity() * sizeof(std::uint64_t) + owners_.capacity() * sizeof(Index);
    if constexpr (has_index) bytes += index_.bytes();
    return bytes;
  }

  /// Returns the table after `change`; this table is unchanged. One sort of the added vnodes, then
  /// one merge: O(M + A log A).
  RingTable after(Change change) const {
    RingTable result = merged(std::move(change));
    if constexpr (has_index) result.index_.build(result.positions(), result.owners());
    return result;
  }

  friend bool operator==(const RingTable& a, const RingTable& b) {
    return a.positions_ == b.positions_ && a.owners_ == b.owners_;
  }

 private:
  explicit RingTable(std::size_t size)
      : positions_(PlainVector<std::uint64_t>::unset(size)),
        owners_(PlainVector<Index>::unset(size)) {}

  /// after(), without an index.
  RingTable merged(Change change) const {
    detail::sort_vnodes(change.added);
    detail::sort_vnodes(change.dropped);
    RingTable result(size() + change.added.size() - change.dropped.size());
    Merge merge{*this, change.renumber, result.positions_.data(), result.owners_.data()};
    const Vnode* added = change.added.begin();
    const Vnode* const last_added = change.added.end();
    const Vnode* dropped = change.dropped.begin();
    const Vnode* const last_dropped = change.dropped.end();
    if (empty()) {  // a build: nothing to compare with
      for (; added != last_added; ++added) {
        merge.put(added->position, static_cast<Index>(added->owner));
      }
    }
    while (added != last_added || dropped != last_dropped) {
      const std::uint64_t position =
          dropped == last_dropped || (added != last_added && added->position < dropped->position)
              ? added->position
              : dropped->position;
      merge.keep_before(position);
      for (; merge.is_at(position); merge.skip()) {
        if (dropped != last_dropped && dropped->position == position &&
            dropped->owner == merge.old_owner()) {
          ++dropped;
          continue;
        }
        const Index owner = merge.renumbered(merge.old_owner());
        for (; added != last_added && added->position == position && added->owner < owner; ++added)
          merge.put(position, static_cast<Index>(added->owner));
        merge.put(position, owner);
      }
      for (; added != last_added && added->position == position; ++added)
        merge.put(position, static_cast<Index>(added->owner));
    }
    merge.keep_until(size());
    return result;
  }

  /// rank_of in O(log M). The table must not be empty.
  std::size_t search(std::uint64_t position) const noexcept {
    const std::size_t found = detail::lower_bound(positions_.data(), size(), position);
    return found == size() ? 0 : found;
  }

  /// The progress of a change in the old table and in the new one.
  struct Merge {
    const RingTable& old;
    const PlainVector<Index>& renumber;
    std::uint64_t* positions;
    Index* owners;
    std::size_t rank = 0;

    bool is_at(std::uint64_t position) const {
      return rank < old.size() && old.positions_[rank] == position;
    }
    Index old_owner() const { return old.owners_[rank]; }
    Index renumbered(Index owner) const { return renumber.empty() ? owner : renumber[owner]; }
    void skip() { ++rank; }
    void put(std::uint64_t position, Index owner) {
      *positions++ = position;
      *owners++ = owner;
    }
    void keep_before(std::uint64_t position) {
      keep_until(detail::first_not_below(old.positions(), position, rank));
    }
    void keep_until(std::size_t end) {
      const std::size_t count = end - rank;
      PlainVector<std::uint64_t>::copy(old.positions_.data() + rank, count, positions);
      if (renumber.empty()) {
        PlainVector<Index>::copy(old.owners_.data() + rank, count, owners);
      } else {
        const Index* const from = old.owners_.data() + rank;
        const Index* const map = renumber.data();
        for (std::size_t i = 0; i < count; ++i) owners[i] = map[from[i]];
      }
      positions += count;
      owners += count;
      rank = end;
    }
  };

  PlainVector<std::uint64_t> positions_;
  PlainVector<Index> owners_;
  [[no_unique_address]] std::conditional_t<has_index, LookupIndex<Index>, SearchOnly> index_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_RING_TABLE_HPP
