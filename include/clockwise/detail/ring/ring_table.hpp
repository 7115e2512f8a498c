// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_RING_TABLE_HPP
#define CLOCKWISE_DETAIL_RING_RING_TABLE_HPP

// The sorted table of every ring flavour: the positions of the vnodes, and their owners.
//
// A table knows no hashes and no names. Native rings fill it with hashes of labels, a ring flavour
// with explicit tokens fills it with those. A flavour whose circle has 32 bits, like ketama, shifts
// its points and keys up by 32 bits. That keeps order, ties, wrapping and every proportion, so one
// lookup, one walk, one sum of shares and one diff serve all of them.
//
//   rank        0      1      2      3      4
//   positions   3      17     17     40     90      ascending; equal ones by owner
//   owners      2      0      1      2      0       indices in id order
//   arc         (90,3] (3,17] none   (17,40] (40,90]
//
// Owners are numbered in id order. So ties are in the right order after sorting, two tables with
// the same members have equal arrays, and shares are in id order.

#include <algorithm>    // copy, fill_n, lower_bound, min, sort
#include <array>        // array
#include <bit>          // bit_width
#include <compare>      // strong_ordering
#include <concepts>     // same_as, unsigned_integral
#include <cstddef>      // ptrdiff_t, size_t
#include <cstdint>      // uint16_t, uint64_t
#include <span>         // span
#include <type_traits>  // conditional_t
#include <vector>       // vector

#include "clockwise/arc.hpp"
#include "clockwise/detail/ring/lookup_index.hpp"
#include "clockwise/fwd.hpp"

namespace clockwise::detail {

/// Returns the arc between a vnode and the one before it, of ascending `positions`. If both share a
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
      visit(arc_at(positions, rank), owners[rank]);
    }
  }
}

/// Takes the place of an index in a table without one.
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
  /// No owner: no node ever has this index.
  static constexpr Index npos = static_cast<Index>(~Index{0});

  struct Vnode {
    std::uint64_t position;
    Index owner;
    friend constexpr auto operator<=>(const Vnode&, const Vnode&) = default;
  };

  /// A change of membership, made of whole vnodes.
  struct Change {
    std::vector<Vnode> added;     ///< Owners numbered as after the change; in any order.
    std::vector<Vnode> dropped;   ///< Owners numbered as before it; each is in the table.
    std::vector<Index> renumber;  ///< From old number to new, ascending; empty: all stay.
  };

  std::size_t size() const noexcept { return positions_.size(); }
  bool empty() const noexcept { return positions_.empty(); }
  std::span<const std::uint64_t> positions() const noexcept { return positions_; }
  std::span<const Index> owners() const noexcept { return owners_; }

  /// Returns the rank of the first vnode at or after `position`; wraps past the end. 0 if the table
  /// is empty.
  std::size_t rank_of(std::uint64_t position) const noexcept {
    return rank_of(position, {owners_.data(), sizeof(Index)});
  }
  /// The same, for callers that read `rows` next, not the owners.
  std::size_t rank_of(std::uint64_t position, [[maybe_unused]] Rows rows) const noexcept {
    if (empty()) return 0;
    if constexpr (has_index) {
      return index_.rank(position, positions_, rows);
    } else {
      return search(position);
    }
  }

  /// Returns the owner of `position`; npos if the table is empty.
  Index owner_of(std::uint64_t position) const noexcept {
    if (empty()) return npos;
    if constexpr (has_index) {
      return index_.owner(position, positions_, owners_);
    } else {
      return owners_[search(position)];
    }
  }

  /// Sets owners[i] = owner_of(positions[i]). The lengths must be equal.
  template <class Key>
  void owners_of(std::span<const Key> positions, std::span<Index> owners) const noexcept {
    if constexpr (has_index) {
      if (!empty()) return index_.owners_of(positions, owners, positions_, owners_);
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

  /// Returns the table after `change`; this one is unchanged. One sort of what is added, then one
  /// merge: O(M + A log A).
  RingTable after(Change change) const {
    sort_vnodes(change.added);
    sort_vnodes(change.dropped);
    RingTable result;
    result.positions_.reserve(size() + change.added.size() - change.dropped.size());
    result.owners_.reserve(result.positions_.capacity());

    const auto renumbered = [&](Index owner) {
      return change.renumber.empty() ? owner : change.renumber[owner];
    };
    auto added = change.added.begin();
    auto dropped = change.dropped.begin();
    const auto add = [&] {
      result.positions_.push_back(added->position);
      result.owners_.push_back(added->owner);
      ++added;
    };

    std::size_t rank = 0;
    if (empty()) {
      while (added != change.added.end()) add();
    }
    while (added != change.added.end() || dropped != change.dropped.end()) {
      const std::uint64_t position =
          dropped == change.dropped.end() ||
                  (added != change.added.end() && added->position < dropped->position)
              ? added->position
              : dropped->position;
      const std::size_t run = first_not_below(positions_, position, rank);
      append(result, rank, run, change.renumber);
      rank = run;
      for (; rank < size() && positions_[rank] == position; ++rank) {
        if (dropped != change.dropped.end() && dropped->position == position &&
            dropped->owner == owners_[rank]) {
          ++dropped;
          continue;
        }
        const Index owner = renumbered(owners_[rank]);
        while (added != change.added.end() && added->position == position && added->owner < owner) {
          add();
        }
        result.positions_.push_back(position);
        result.owners_.push_back(owner);
      }
      while (added != change.added.end() && added->position == position) add();
    }
    append(result, rank, size(), change.renumber);
    if constexpr (has_index) result.index_.build(result.positions_, result.owners_);
    return result;
  }

  friend bool operator==(const RingTable& a, const RingTable& b) {
    return a.positions_ == b.positions_ && a.owners_ == b.owners_;
  }

 private:
  /// rank_of in O(log M). The table must not be empty.
  std::size_t search(std::uint64_t position) const noexcept {
    const auto found = std::lower_bound(positions_.begin(), positions_.end(), position);
    return found == positions_.end() ? 0 : static_cast<std::size_t>(found - positions_.begin());
  }

  void append(RingTable& result, std::size_t from, std::size_t to,
              const std::vector<Index>& renumber) const {
    const auto begin = static_cast<std::ptrdiff_t>(from);
    const auto end = static_cast<std::ptrdiff_t>(to);
    const std::size_t old_size = result.owners_.size();
    result.positions_.insert(result.positions_.end(), positions_.begin() + begin,
                             positions_.begin() + end);
    result.owners_.insert(result.owners_.end(), owners_.begin() + begin, owners_.begin() + end);
    if (!renumber.empty()) {
      Index* const owners = result.owners_.data();
      const Index* const map = renumber.data();
      for (std::size_t i = old_size, n = result.owners_.size(); i < n; ++i)
        owners[i] = map[owners[i]];
    }
  }

  /// Hashes are uniform, so their top bits deal them into small buckets, and the next bits deal a
  /// bucket, in a near cache, into places of one or two. If hashes are not uniform, buckets are
  /// large, and the whole costs as much as std::sort.
  static void sort_vnodes(std::vector<Vnode>& vnodes) {
    if (vnodes.size() < 64) {
      std::sort(vnodes.begin(), vnodes.end());
      return;
    }
    const int bits = (std::min)(static_cast<int>(std::bit_width(vnodes.size())) - 4, 15);
    const int shift = 64 - bits;
    std::vector<std::size_t> ends((std::size_t{1} << bits) + 1);
    const auto bucket_of = [shift](const Vnode& vnode) {
      return static_cast<std::size_t>(vnode.position >> shift);
    };
    for (const Vnode& vnode : vnodes) ++ends[bucket_of(vnode) + 1];
    for (std::size_t bucket = 1; bucket < ends.size(); ++bucket) ends[bucket] += ends[bucket - 1];
    std::vector<Vnode> dealt(vnodes.size());
    for (const Vnode& vnode : vnodes) dealt[ends[bucket_of(vnode)]++] = vnode;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      sort_bucket(std::span(dealt).subspan(begin, end - begin), shift, vnodes.data() + begin);
      begin = end;
    }
  }

  /// Writes `bucket`, sorted, to `out`. All its positions have the same bits from `shift` on.
  static void sort_bucket(std::span<const Vnode> bucket, int shift, Vnode* out) {
    // The same as operator<, which takes longer because it uses a three-way comparison.
    const auto by_position = [](const Vnode& a, const Vnode& b) {
      return a.position != b.position ? a.position < b.position : a.owner < b.owner;
    };
    constexpr int most_bits = 8;
    const int bits = static_cast<int>(std::bit_width(bucket.size()));
    if (bits > most_bits) {
      std::copy(bucket.begin(), bucket.end(), out);
      std::sort(out, out + bucket.size(), by_position);
      return;
    }
    std::array<std::uint16_t, std::size_t{1} << most_bits> ends;
    const std::size_t places = std::size_t{1} << bits;
    std::fill_n(ends.begin(), places, std::uint16_t{0});
    const auto place_of = [&](const Vnode& vnode) {
      return static_cast<std::size_t>(vnode.position >> (shift - bits)) & (places - 1);
    };
    for (const Vnode& vnode : bucket) ++ends[place_of(vnode)];
    std::uint16_t sum = 0;
    for (std::size_t place = 0; place < places; ++place) {
      sum = static_cast<std::uint16_t>(sum + ends[place]);
      ends[place] = static_cast<std::uint16_t>(sum - ends[place]);
    }
    for (const Vnode& vnode : bucket) out[ends[place_of(vnode)]++] = vnode;
    // Vnodes that are out of order now share a place, so they are near. At most 255 in all.
    for (std::size_t i = 1; i < bucket.size(); ++i) {
      const Vnode vnode = out[i];
      std::size_t to = i;
      for (; to > 0 && by_position(vnode, out[to - 1]); --to) out[to] = out[to - 1];
      out[to] = vnode;
    }
  }

  std::vector<std::uint64_t> positions_;
  std::vector<Index> owners_;
  [[no_unique_address]] std::conditional_t<has_index, LookupIndex<Index>, SearchOnly> index_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_RING_TABLE_HPP
