// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_PACKED_SETS_HPP
#define CLOCKWISE_DETAIL_RING_PACKED_SETS_HPP

// Many small sets of numbers, each stored once, for counting replica sets.

#include <algorithm>  // all_of, equal, lexicographical_compare, max, min, sort
#include <array>      // array
#include <bit>        // bit_ceil, bit_width
#include <cstddef>    // ptrdiff_t, size_t
#include <cstdint>    // uint32_t, uint64_t
#include <span>       // dynamic_extent, span
#include <utility>    // move
#include <vector>     // vector

#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/plain_vector.hpp"

namespace clockwise::detail {

/// Collects distinct numbers, inserted one by one. A hash divides them into parts that fit a near
/// cache, and one table, used for each part in turn, finds the duplicates. O(1) per number.
class DistinctNumbers {
 public:
  /// Sized for `expected` numbers; works for any count.
  explicit DistinctNumbers(std::size_t expected)
      : bits_((std::max)(1, static_cast<int>(std::bit_width(expected / part_size)))),
        parts_(std::size_t{1} << bits_) {
    const std::size_t share = expected >> bits_;
    for (Part& part : parts_) part.grow(share + share / 8 + 16);
  }

  void insert(std::uint64_t number) {
    // Multiplying by an odd number is reversible, and the top bits depend on the whole number.
    const std::uint64_t product = number * odd;
    Part& part = parts_[static_cast<std::size_t>(product >> (64 - bits_))];
    if (part.size == part.capacity) [[unlikely]] {
      keep_distinct(part);
      if (part.size > part.capacity / 2) part.grow(2 * part.capacity);
    }
    part.numbers[part.size++] = product;
  }

  /// Returns the distinct numbers, in no particular order.
  std::vector<std::uint64_t> take() && {
    std::size_t count = 0;
    for (Part& part : parts_) {
      keep_distinct(part);
      count += part.size;
    }
    std::vector<std::uint64_t> numbers;
    numbers.reserve(count);
    for (const Part& part : parts_) {
      for (std::size_t i = 0; i < part.size; ++i) numbers.push_back(part.numbers[i] * inverse);
    }
    return numbers;
  }

 private:
  struct Part {
    PlainVector<std::uint64_t> numbers;
    std::size_t size = 0;
    std::size_t capacity = 0;

    void grow(std::size_t to) {
      auto larger = PlainVector<std::uint64_t>::unset(to);
      PlainVector<std::uint64_t>::copy(numbers.data(), size, larger.data());
      numbers = std::move(larger);
      capacity = to;
    }
  };

  static constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t inverse = 0xf1de83e19937733d;
  static_assert(odd * inverse == 1);
  static constexpr std::size_t part_size = 2048;

  void keep_distinct(Part& part) {
    const int table_bits = static_cast<int>(std::bit_width(4 * part.size + 1));
    const std::size_t mask = (std::size_t{1} << table_bits) - 1;
    table_.assign(mask + 1, 0);  // 0: free
    bool zero_met = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < part.size; ++i) {
      const std::uint64_t product = part.numbers[i];
      auto slot = static_cast<std::size_t>(product << bits_ >> (64 - table_bits));
      while (table_[slot] != 0 && table_[slot] != product) slot = (slot + 1) & mask;
      if (product == 0 ? zero_met : table_[slot] != 0) continue;
      zero_met = zero_met || product == 0;
      table_[slot] = product;
      part.numbers[kept++] = product;
    }
    part.size = kept;
  }

  int bits_;
  std::vector<Part> parts_;
  std::vector<std::uint64_t> table_;
};

/// Sets of `width` numbers, each below `limit` and ascending within a set, packed into 64-bit
/// words: one word for three nodes of up to 2^21.
class PackedSets {
 public:
  PackedSets() = default;
  PackedSets(std::size_t width, std::size_t limit)
      : width_(width),
        limit_(limit),
        bits_((std::max)(static_cast<int>(std::bit_width(limit - 1)), 1)),
        per_word_(64 / static_cast<std::size_t>(bits_)),
        words_((width + per_word_ - 1) / per_word_) {}

  std::size_t size() const { return words_ == 0 ? 0 : packed_.size() / words_; }

  /// Calls for_each(take), which calls take(set) for each of n sets, about `expected`, in any
  /// order; keeps one of each. O(n) if a set fits in one word. Otherwise a set equal to the one
  /// before costs O(width), any other also its sorting: neighbouring sets come one after the other,
  /// and wide sets seldom differ from their neighbour. Memory is proportional to the distinct sets.
  template <class ForEach>
  void fill(std::size_t expected, ForEach for_each) {
    if (words_ == 1) {
      DistinctNumbers numbers(expected);
      for_each([&](auto set) { numbers.insert(word_of_unsorted(set)); });
      packed_ = std::move(numbers).take();
    } else {
      std::vector<std::uint32_t> last_seen(limit_);  // by number: in which set, counted from 1
      std::vector<std::uint32_t> sorted;
      std::uint32_t count = 0;
      std::size_t enough = 4096;
      for_each([&](auto set) {
        const auto is_in_last = [&](std::uint32_t number) { return last_seen[number] == count; };
        if (count > 0 && std::all_of(set.begin(), set.end(), is_in_last)) return;
        ++count;
        for (const std::uint32_t number : set) last_seen[number] = count;
        if (width_ * static_cast<std::size_t>(std::bit_width(width_)) < limit_) {
          sorted.assign(set.begin(), set.end());
          std::sort(sorted.begin(), sorted.end());
        } else {  // most numbers are in it
          sorted.clear();
          for (std::uint32_t number = 0; number < limit_; ++number) {
            if (is_in_last(number)) sorted.push_back(number);
          }
        }
        if (size() == enough) {
          keep_distinct();
          enough = (std::max)(enough, 2 * size());
        }
        pack(sorted, packed_);
      });
      keep_distinct();
    }
  }

  /// Returns how many 64-bit words a set takes.
  std::size_t words_per_set() const { return words_; }

  /// Appends the words of a set of ascending numbers.
  void pack(std::span<const std::uint32_t> set, std::vector<std::uint64_t>& words) const {
    for (; set.size() > per_word_; set = set.subspan(per_word_)) {
      words.push_back(word(set.first(per_word_)));
    }
    words.push_back(word(set));
  }
  /// Writes set number `i` to `set`, which has `width` elements.
  void unpack(std::size_t i, std::span<std::uint32_t> set) const {
    const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
    std::size_t begin = 0;
    for (std::uint64_t word : words(i)) {
      const std::size_t end = (std::min)(width_, begin + per_word_);
      for (std::size_t place = end; place-- > begin; word >>= bits_) {
        set[place] = static_cast<std::uint32_t>(word & mask);
      }
      begin = end;
    }
  }
  std::span<const std::uint64_t> words(std::size_t i) const {
    return {packed_.data() + i * words_, words_};
  }

 private:
  /// At most per_word_ numbers.
  std::uint64_t word(std::span<const std::uint32_t> set) const {
    std::uint64_t word = 0;
    for (const std::uint32_t number : set) word = word << bits_ | number;
    return word;
  }

  /// Same as word() of the sorted numbers. Sorts without branches, which would be unpredictable.
  template <std::size_t extent>
  std::uint64_t word_of_unsorted(std::span<const std::uint32_t, extent> set) const {
    std::array<std::uint64_t, extent == std::dynamic_extent ? 64 : extent> sorted;
    for (std::size_t i = 0; i < set.size(); ++i) {
      sorted[i] = set[i];
      for (std::size_t j = i; j > 0; --j) {
        const bool exchange = sorted[j] < sorted[j - 1];
        const std::uint64_t bits = (sorted[j] ^ sorted[j - 1]) & (0 - std::uint64_t{exchange});
        sorted[j] ^= bits;
        sorted[j - 1] ^= bits;
      }
    }
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < set.size(); ++i) word = word << bits_ | sorted[i];
    return word;
  }

  /// A template, so that only programs that count sets compile its sort.
  template <class = void>
  void keep_distinct() {
    std::vector<std::uint32_t> order(size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    const auto text = [&](std::uint32_t i) { return words(i); };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::lexicographical_compare(text(a).begin(), text(a).end(), text(b).begin(),
                                          text(b).end());
    });
    std::vector<std::uint64_t> distinct;
    for (const std::uint32_t i : order) {
      const auto own = words(i);
      if (distinct.empty() || !std::equal(own.begin(), own.end(), distinct.end() - offset())) {
        distinct.insert(distinct.end(), own.begin(), own.end());
      }
    }
    packed_.swap(distinct);
  }

  std::ptrdiff_t offset() const { return static_cast<std::ptrdiff_t>(words_); }

  std::size_t width_ = 0;
  std::size_t limit_ = 0;
  int bits_ = 1;
  std::size_t per_word_ = 64;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> packed_;
};

/// Whether a set is among others: an open-addressing table of their indices.
class SetIndex {
 public:
  explicit SetIndex(const PackedSets& sets)
      : sets_(sets), slots_(std::bit_ceil(2 * sets.size() + 1)) {
    for (std::size_t i = 0; i < sets.size(); ++i) {
      slots_[slot_of(sets.words(i))] = (hash(sets.words(i)) & tag_bits) | (i + 1);
    }
  }

  bool contains(std::span<const std::uint32_t> set) {
    packed_.clear();
    sets_.pack(set, packed_);
    return slots_[slot_of(packed_)] != 0;
  }

 private:
  static constexpr std::uint64_t tag_bits = 0xffffffff00000000;

  static std::uint64_t hash(std::span<const std::uint64_t> words) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : words) hash = detail::mix(hash ^ word);
    return hash;
  }

  /// The slot of the set, or the free slot where it would go.
  std::size_t slot_of(std::span<const std::uint64_t> words) const {
    const std::uint64_t wanted = hash(words);
    const std::size_t mask = slots_.size() - 1;
    auto slot = static_cast<std::size_t>(wanted) & mask;
    for (;; slot = (slot + 1) & mask) {
      const std::uint64_t held = slots_[slot];
      if (held == 0) return slot;
      if (((held ^ wanted) & tag_bits) != 0) continue;
      const auto other = sets_.words(static_cast<std::size_t>(held & ~tag_bits) - 1);
      if (std::equal(words.begin(), words.end(), other.begin())) return slot;
    }
  }

  const PackedSets& sets_;
  std::vector<std::uint64_t> slots_;  // high half: a part of the hash; low half: index + 1, 0: free
  std::vector<std::uint64_t> packed_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_PACKED_SETS_HPP
