// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_LOOKUP_INDEX_HPP
#define CLOCKWISE_DETAIL_RING_LOOKUP_INDEX_HPP

// An index that makes a lookup in a sorted table of hashes cost about one memory read.
//
// The top bits of a position choose a bucket, the bucket's offset is the rank of its first vnode,
// and a short scan without branches finds the first vnode at or after the key. A scan can run past
// the end of its bucket: it still reads in rank order, so a bucket needs no end, and an empty one
// no entry. The scan compares fragments, a few bits of each position:
//
//   position   [ bucket | 11 or 13 bits | not kept ]
//   fragment      [   16 of these bits  ]
//
// Fragments are compared by the sign of their difference, modulo their width, so a scan can leave
// its bucket in either direction as long as the distance stays below half the range. build() marks
// the buckets whose keys could be farther from their owner. Lookups in a marked bucket search the
// positions themselves; so do those that find a fragment equal to the key's, and those whose scan
// finds nothing. Among uniform positions that is 1 lookup in 1,000; among any others the answer is
// the same and costs O(log M).
//
// There are two layouts, by size. docs/lookup-index.md has the measurements, and the alternatives
// that were slower.
//
//   dense,  M < 2^16: 16-bit offsets, one or two per vnode, and words of fragment and owner in
//                     rank order. Two dependent reads, both in a near cache.
//   sparse, others:   an offset per 4 to 8 vnodes, few enough to stay in a near cache, and only
//                     the fragments, 16 per scan. The owner comes from the table, requested too.

#include <algorithm>    // max, min
#include <bit>          // bit_width, countr_zero
#include <concepts>     // unsigned_integral
#include <cstddef>      // size_t
#include <cstdint>      // uint16_t, uint32_t, uint64_t, uintptr_t
#include <span>         // span
#include <type_traits>  // conditional_t, make_signed_t
#include <utility>      // move

#include "clockwise/config.hpp"
#include "clockwise/detail/base/plain_vector.hpp"

#if defined(__SSE2__) && !CLOCKWISE_PORTABLE_SCAN
#include <emmintrin.h>  // SSE2, part of every x86-64
#define CLOCKWISE_SSE2_SCAN 1
#else
#define CLOCKWISE_SSE2_SCAN 0
#endif

namespace clockwise::detail {

/// Requests the cache line `ahead` bytes past `address`, which need not be in the same object.
inline void prefetch([[maybe_unused]] const void* address,
                     [[maybe_unused]] std::size_t ahead = 0) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(address) + ahead));
#endif
}

/// Returns the first index whose element is not below `position`, or `size`. O(log size).
inline std::size_t lower_bound(const std::uint64_t* positions, std::size_t size,
                               std::uint64_t position) noexcept {
  std::size_t first = 0;
  while (size > 0) {
    const std::size_t half = size / 2;
    if (positions[first + half] < position) {
      first += half + 1;
      size -= half + 1;
    } else {
      size = half;
    }
  }
  return first;
}

/// Returns the first rank from `from` on whose position is not below `position`, or the size. Steps
/// double, so the cost depends on the distance, and is at most O(log M).
inline std::size_t first_not_below(std::span<const std::uint64_t> positions, std::uint64_t position,
                                   std::size_t from) noexcept {
  std::size_t step = 1;
  std::size_t end = from;
  while (end < positions.size() && positions[end] < position) {
    from = end + 1;
    end = step < positions.size() - end ? end + step : positions.size();
    step *= 2;
  }
  return from + detail::lower_bound(positions.data() + from, end - from, position);
}

/// An array with one row per vnode, in rank order, that is read once the rank is known. Its memory
/// is requested during the search for the rank.
struct Rows {
  const void* data;
  std::size_t row_bytes;
};

/// An index over the sorted positions of a table and the parallel owners. It holds no reference to
/// them: every call takes the arrays that it was built from, which must not be empty. Thread
/// safety: that of a standard container.
///
/// Memory: at most 8 bytes per vnode below 2^16 vnodes (12 if Index has more than 16 bits), 2.6
/// from there on, and a few dozen bytes.
template <std::unsigned_integral Index>
class LookupIndex {
 public:
  using Positions = std::span<const std::uint64_t>;
  using Owners = std::span<const Index>;

  /// Indexes `positions`, ascending, at most 2^32 - 1 of them. If memory runs out, the index is
  /// unchanged. O(M).
  void build(Positions positions, Owners owners) {
    LookupIndex fresh;
    if (!positions.empty()) fresh.fill(positions, owners);
    *this = std::move(fresh);
  }

  /// Returns the rank of the first vnode at or after `position`; 0 past the end. `rows`: the arrays
  /// that the caller reads at that rank.
  std::size_t rank(std::uint64_t position, Positions positions, Rows rows) const noexcept {
    if (position > last_) [[unlikely]]
      return 0;
    const std::uint64_t cut = position >> shift_;
    return dense_ ? dense_rank(position, cut, positions)
                  : sparse_rank(position, cut, positions, rows);
  }

  /// Returns the owner of `position`: owners[rank(position)].
  Index owner(std::uint64_t position, Positions positions, Owners owners) const noexcept {
    if (position > last_) [[unlikely]]
      return owners[0];
    const std::uint64_t cut = position >> shift_;
    return dense_ ? dense_owner(position, cut, positions, owners)
                  : owners[sparse_rank(position, cut, positions, {owners.data(), sizeof(Index)})];
  }

  /// Sets out[i] = owner(keys[i]) for every key; `out` must have at least as many elements. On a
  /// table too large for a near cache, the reads of many keys overlap.
  template <class Key>
  void owners_of(std::span<const Key> keys, std::span<Index> out, Positions positions,
                 Owners owners) const noexcept {
    constexpr std::size_t group = 16;  // keys whose reads are in flight at once
    const bool is_far = positions.size() >= batch_from;
    std::size_t done = 0;
    for (; is_far && keys.size() - done >= group; done += group) {
      for (std::size_t i = done; i < done + group; ++i) {
        const std::uint64_t position = (std::min)(static_cast<std::uint64_t>(keys[i]), last_);
        const auto bucket = static_cast<std::size_t>(position >> shift_ >> sparse_bits);
        const std::size_t rank = (std::min)(
            bases_[bucket >> group_bits] + std::size_t{offsets_[bucket]}, owners.size() - 1);
        detail::prefetch(fragments_.data() + rank);
        detail::prefetch(fragments_.data() + rank, (sparse_scan - 1) * sizeof(std::uint16_t));
        detail::prefetch(owners.data() + rank);
        detail::prefetch(owners.data() + rank, 7 * sizeof(Index));
      }
      for (std::size_t i = done; i < done + group; ++i)
        out[i] = owner(static_cast<std::uint64_t>(keys[i]), positions, owners);
    }
    for (; done < keys.size(); ++done)
      out[done] = owner(static_cast<std::uint64_t>(keys[done]), positions, owners);
  }

  /// Heap memory in use.
  std::size_t bytes() const noexcept {
    return offsets_.capacity() * sizeof(std::uint16_t) + bases_.capacity() * sizeof(std::uint32_t) +
           words_.capacity() * sizeof(Word) + fragments_.capacity() * sizeof(std::uint16_t);
  }

 private:
  using Word = std::conditional_t<sizeof(Index) <= 2, std::uint32_t, std::uint64_t>;
  using SignedWord = std::make_signed_t<Word>;

  static constexpr int word_fragment_bits = static_cast<int>(sizeof(Word)) * 4;
  static constexpr int dense_bits = 11;  // of the fragment, below the bucket bits
  static constexpr int sparse_bits = 13;
  static constexpr int group_bits = 8;  // buckets that share a base
  static constexpr std::size_t dense_scan = 4;
  static constexpr std::size_t sparse_scan = 16;
  static constexpr std::size_t dense_limit = sizeof(Index) <= 4 ? 0xffff : 0;
  static constexpr std::size_t batch_from = std::size_t{1} << 19;  // below, a plain loop is faster
  static constexpr std::uint16_t marked = 0xffff;
  static_assert(batch_from > dense_limit);
  static_assert(dense_bits + 2 <= word_fragment_bits && sparse_bits + 2 <= 16,
                "the neighbour of a bucket is in reach of its keys");

  static constexpr Word word_of(std::uint64_t cut, Word owner) noexcept {
    return static_cast<Word>(static_cast<Word>(cut) << word_fragment_bits) | owner;
  }
  static constexpr bool is_behind(Word distance) noexcept {
    return static_cast<SignedWord>(distance) < 0;
  }
  /// Returns 1 if a distance is that of a word before the key, otherwise 0.
  static constexpr Word sign_of(Word distance) noexcept {
    return distance >> (2 * word_fragment_bits - 1);
  }
  /// Whether the distance from key to word is 0 in the fragment, or that of a word before the key.
  static constexpr bool is_unsettled(Word distance) noexcept {
    constexpr Word unit = Word{1} << word_fragment_bits;
    constexpr Word half = Word{1} << (2 * word_fragment_bits - 1);
    return static_cast<Word>(distance - unit) >= half - unit;
  }

  std::size_t dense_rank(std::uint64_t position, std::uint64_t cut,
                         Positions positions) const noexcept {
    const std::size_t offset = offsets_[static_cast<std::size_t>(cut >> dense_bits)];
    if (offset == marked) [[unlikely]]
      return search(positions, position, 0);
    const Word* const words = words_.data() + offset;
    const Word key = word_of(cut, 0);
    // Numbers, because compilers make branches of conditions, and these cannot be predicted.
    const Word first = sign_of(words[0] - key);
    const Word second = first & sign_of(words[1] - key);
    const Word third = second & sign_of(words[2] - key);
    const auto passed = static_cast<std::size_t>(first + second + third);
    if (is_unsettled(words[passed] - key)) [[unlikely]]
      return search(positions, position, offset);
    return offset + passed;
  }

  Index dense_owner(std::uint64_t position, std::uint64_t cut, Positions positions,
                    Owners owners) const noexcept {
    const std::size_t offset = offsets_[static_cast<std::size_t>(cut >> dense_bits)];
    if (offset == marked) [[unlikely]]
      return owners[search(positions, position, 0)];
    // The first word that is not before the key. The key's word has no owner to subtract, so the
    // distance still contains the owner, and no read must wait for the choice.
    const Word* const words = words_.data() + offset;
    const Word key = word_of(cut, 0);
    const Word first = words[0] - key;
    const Word second = words[1] - key;
    const Word third = words[2] - key;
    Word ahead = words[3] - key;
    ahead = is_behind(third) ? ahead : third;
    ahead = is_behind(second) ? ahead : second;
    ahead = is_behind(first) ? ahead : first;
    if (is_unsettled(ahead)) [[unlikely]]
      return owners[search(positions, position, offset)];
    return static_cast<Index>(ahead);
  }

  std::size_t sparse_rank(std::uint64_t position, std::uint64_t cut, Positions positions,
                          Rows rows) const noexcept {
    const auto bucket = static_cast<std::size_t>(cut >> sparse_bits);
    const std::size_t base = bases_[bucket >> group_bits];
    const std::uint16_t relative = offsets_[bucket];
    if (relative == marked) [[unlikely]]
      return search(positions, position, base);
    const std::size_t offset = base + relative;
    // The row is one of the next few: on the cache line of the first or, now and then, the next.
    detail::prefetch(rows.data, offset * rows.row_bytes);
    detail::prefetch(rows.data, (offset + 7) * rows.row_bytes);
    const std::uint16_t* const fragments = fragments_.data() + offset;
    const auto key = static_cast<std::uint16_t>(cut);
    const std::size_t passed = count_behind(fragments, key);
    // One branch for both, because neither is likely.
    if ((passed == sparse_scan) | (fragments[passed % sparse_scan] == key)) [[unlikely]]
      return search(positions, position, offset);
    return offset + passed;
  }

  /// Returns the rank by the positions alone, for a key whose vnode is at rank `from` or after.
  CLOCKWISE_COLD static std::size_t search(Positions positions, std::uint64_t position,
                                           std::size_t from) noexcept {
    return detail::first_not_below(positions, position, from);
  }

  /// Returns how many of 16 fragments precede the first that is not before `key`.
  static std::size_t count_behind(const std::uint16_t* fragments, std::uint16_t key) noexcept {
#if CLOCKWISE_SSE2_SCAN
    const __m128i before = _mm_set1_epi16(static_cast<short>(key - 1));
    const auto distance = [&](const std::uint16_t* from) {
      return _mm_sub_epi16(before, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    };
    const int not_behind =
        _mm_movemask_epi8(_mm_packs_epi16(distance(fragments), distance(fragments + 8)));
    return static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(not_behind) | 0x10000u));
#else
    std::int16_t count = sparse_scan;  // a smallest index, in the form that compilers vectorise
    for (std::int16_t i = 0; i < static_cast<std::int16_t>(sparse_scan); ++i) {
      const auto distance = static_cast<std::int16_t>(fragments[i] - key);
      const std::int16_t candidate = distance < 0 ? std::int16_t{sparse_scan} : i;
      count = candidate < count ? candidate : count;
    }
    return static_cast<std::size_t>(count);
#endif
  }

  void fill(Positions positions, Owners owners) {
    dense_ = positions.size() <= dense_limit;
    last_ = positions.back();
    // Hashes of 32 bits leave the top of the circle empty: buckets start at the highest used bit.
    const int low_bits = dense_ ? dense_bits : sparse_bits;
    const int used_bits = static_cast<int>(std::bit_width(last_));
    const int wanted = static_cast<int>(std::bit_width(positions.size() - 1)) - (dense_ ? 0 : 3);
    const int bucket_bits = (std::max)(0, (std::min)(wanted, used_bits - low_bits));
    shift_ = (std::max)(0, used_bits - low_bits - bucket_bits);

    offsets_ =
        PlainVector<std::uint16_t>(static_cast<std::size_t>(last_ >> shift_ >> low_bits) + 1);
    if (dense_) {
      fill_dense(positions, owners);
    } else {
      fill_sparse(positions);
    }
  }

  void fill_dense(Positions positions, Owners owners) {
    // A scan can read past the last; no key goes there.
    words_ = PlainVector<Word>(positions.size() + dense_scan);
    constexpr std::uint64_t half = std::uint64_t{1} << (word_fragment_bits - 1);
    constexpr std::uint64_t bucket_width = std::uint64_t{1} << dense_bits;
    PlainVector<std::size_t> behind_gaps;  // ranks from which a bucket can be too far
    std::uint64_t previous = 0;
    for (std::size_t rank = 0; rank < positions.size(); ++rank) {
      const std::uint64_t cut = positions[rank] >> shift_;
      words_[rank] = word_of(cut, static_cast<Word>(owners[rank]));
      // For now, the rank after the bucket's last vnode.
      offsets_[static_cast<std::size_t>(cut >> dense_bits)] = static_cast<std::uint16_t>(rank + 1);
      if (cut - previous >= half - bucket_width) [[unlikely]]
        behind_gaps.push_back(rank);
      previous = cut;
    }
    std::uint16_t offset = 0;
    for (std::uint16_t& entry : offsets_) {
      const std::uint16_t end = (std::max)(entry, offset);
      entry = offset;
      offset = end;
    }
    // A key of a bucket goes at most to the first vnode after it.
    for (const std::size_t rank : behind_gaps) {
      const std::uint64_t cut = positions[rank] >> shift_;
      const std::uint64_t before = rank == 0 ? 0 : positions[rank - 1] >> shift_;
      for (auto bucket = before >> dense_bits; (bucket << dense_bits) + half <= cut; ++bucket) {
        offsets_[static_cast<std::size_t>(bucket)] = marked;
      }
    }
  }

  void fill_sparse(Positions positions) {
    const std::size_t buckets = offsets_.size();
    fragments_ = PlainVector<std::uint16_t>(positions.size() + sparse_scan);
    bases_ = PlainVector<std::uint32_t>(((buckets - 1) >> group_bits) + 1);
    PlainVector<std::uint32_t> ends(buckets);  // the rank after a bucket's last vnode, or 0
    for (std::size_t rank = 0; rank < positions.size(); ++rank) {
      const std::uint64_t cut = positions[rank] >> shift_;
      fragments_[rank] = static_cast<std::uint16_t>(cut);
      ends[static_cast<std::size_t>(cut >> sparse_bits)] = static_cast<std::uint32_t>(rank + 1);
    }
    constexpr std::uint64_t half = std::uint64_t{1} << 15;
    std::uint32_t offset = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      const std::uint32_t end = (std::max)(ends[bucket], offset);
      // As above, and that vnode is near if the next bucket has one.
      bool is_far = false;
      if (bucket + 1 == buckets || ends[bucket + 1] == 0) {
        const std::uint64_t start = static_cast<std::uint64_t>(bucket) << sparse_bits;
        const std::size_t farthest = (std::min)(std::size_t{end}, positions.size() - 1);
        is_far = (positions[farthest] >> shift_) - start >= half;
      }
      std::uint32_t& base = bases_[bucket >> group_bits];
      if (bucket % (std::size_t{1} << group_bits) == 0) base = offset;
      const std::uint32_t relative = offset - base;
      offsets_[bucket] =
          is_far || relative >= marked ? marked : static_cast<std::uint16_t>(relative);
      offset = end;
    }
  }

  PlainVector<std::uint16_t> offsets_;    // by bucket: a rank, in a sparse index minus its base
  PlainVector<std::uint32_t> bases_;      // by group of buckets: the rank of the first
  PlainVector<Word> words_;               // by rank: fragment, owner
  PlainVector<std::uint16_t> fragments_;  // by rank
  std::uint64_t last_ = 0;                // the last position: keys beyond it wrap
  int shift_ = 0;
  bool dense_ = true;
};

}  // namespace clockwise::detail

#undef CLOCKWISE_SSE2_SCAN

#endif  // CLOCKWISE_DETAIL_RING_LOOKUP_INDEX_HPP
