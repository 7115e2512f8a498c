// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_VNODE_SORT_HPP
#define CLOCKWISE_DETAIL_RING_VNODE_SORT_HPP

#include <bit>      // bit_width
#include <compare>  // strong_ordering
#include <cstddef>  // size_t
#include <cstdint>  // uint16_t, uint32_t, uint64_t
#include <utility>  // swap

#include "clockwise/detail/base/plain_vector.hpp"

namespace clockwise::detail {

/// A vnode to add to a table, or to remove from it.
struct Vnode {
  std::uint64_t position;
  std::uint64_t owner;  ///< Fits the table's Index; this wide, one sort serves
                        /// < all tables.
  friend constexpr auto operator<=>(const Vnode&, const Vnode&) = default;
};

/// Sorts up to 255 vnodes from `from` into `to`. All positions have the same bits from `shift` on.
inline void sort_few_vnodes(const Vnode* from, std::size_t size, int shift, Vnode* to) {
  constexpr int most_bits = 8;
  const int wanted = static_cast<int>(std::bit_width(size));
  const int bits = wanted < shift ? wanted : shift;
  std::uint16_t ends[std::size_t{1} << most_bits];
  const std::size_t places = std::size_t{1} << bits;
  for (std::size_t place = 0; place < places; ++place) ends[place] = 0;
  const auto place_of = [&](const Vnode& vnode) {
    return static_cast<std::size_t>(vnode.position >> (shift - bits)) & (places - 1);
  };
  for (std::size_t i = 0; i < size; ++i) ++ends[place_of(from[i])];
  std::uint16_t sum = 0;
  for (std::size_t place = 0; place < places; ++place) {
    sum = static_cast<std::uint16_t>(sum + ends[place]);
    ends[place] = static_cast<std::uint16_t>(sum - ends[place]);
  }
  for (std::size_t i = 0; i < size; ++i) to[ends[place_of(from[i])]++] = from[i];
  // Vnodes that are still out of order share a place, so they are near.
  for (std::size_t i = 1; i < size; ++i) {
    const Vnode vnode = to[i];
    std::size_t free = i;
    const auto is_after = [&](const Vnode& other) {
      return other.position != vnode.position ? other.position > vnode.position
                                              : other.owner > vnode.owner;
    };
    for (; free > 0 && is_after(to[free - 1]); --free) to[free] = to[free - 1];
    to[free] = vnode;
  }
}

/// Sorts by position, then owner. `scratch` has room for as many.
///
/// Hashes are uniform, so their top bits deal them into small buckets, and the next bits deal a
/// bucket, in a near cache, into places of one or two. A bucket that is large, because hashes are
/// not uniform, is sorted in the same way by the bits in which its positions differ.
inline void sort_vnodes(Vnode* vnodes, std::size_t size, Vnode* scratch) {
  std::uint64_t differing = 0;
  for (std::size_t i = 1; i < size; ++i) differing |= vnodes[i].position ^ vnodes[0].position;
  if (differing == 0) {  // then owners are sorted as if they were positions
    for (std::size_t i = 1; i < size; ++i) differing |= vnodes[i].owner ^ vnodes[0].owner;
    if (differing == 0) return;
    for (std::size_t i = 0; i < size; ++i) std::swap(vnodes[i].position, vnodes[i].owner);
    sort_vnodes(vnodes, size, scratch);
    for (std::size_t i = 0; i < size; ++i) std::swap(vnodes[i].position, vnodes[i].owner);
    return;
  }
  const int differing_bits = static_cast<int>(std::bit_width(differing));
  int bits = static_cast<int>(std::bit_width(size)) - 4;
  bits = bits < 1 ? 1 : bits > 15 ? 15 : bits;
  if (bits > differing_bits) bits = differing_bits;
  const int shift = differing_bits - bits;
  const std::uint64_t last_bucket = (std::uint64_t{1} << bits) - 1;
  const auto bucket_of = [=](const Vnode& vnode) {
    return static_cast<std::size_t>(vnode.position >> shift & last_bucket);
  };
  PlainVector<std::uint32_t> ends((std::size_t{1} << bits) + 1);
  for (std::size_t i = 0; i < size; ++i) ++ends[bucket_of(vnodes[i]) + 1];
  for (std::size_t bucket = 1; bucket < ends.size(); ++bucket) ends[bucket] += ends[bucket - 1];
  for (std::size_t i = 0; i < size; ++i) scratch[ends[bucket_of(vnodes[i])]++] = vnodes[i];
  std::size_t begin = 0;
  for (const std::uint32_t end : ends) {
    const std::size_t count = end - begin;
    if (count < 256) {
      sort_few_vnodes(scratch + begin, count, shift, vnodes + begin);
    } else {
      PlainVector<Vnode>::copy(scratch + begin, count, vnodes + begin);
      sort_vnodes(vnodes + begin, count, scratch + begin);
    }
    begin = end;
  }
}

inline void sort_vnodes(PlainVector<Vnode>& vnodes) {
  auto scratch = PlainVector<Vnode>::unset(vnodes.size());
  sort_vnodes(vnodes.data(), vnodes.size(), scratch.data());
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_VNODE_SORT_HPP
