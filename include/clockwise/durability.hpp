// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DURABILITY_HPP
#define CLOCKWISE_DURABILITY_HPP

// What a failure costs: which nodes hold data together, how likely they are to lose some of it, and
// what can still be read and written.
//
//   const auto sets = clockwise::replica_sets(ring, 3);
//   sets.distinct;                                   // triples that hold data, of sets.possible
//   sets.loss_probability(3);                        // that 3 random nodes hold all of some key
//   clockwise::rack_losses(ring, 3).probability();   // that the loss of a rack does
//   clockwise::Quorum{3, 2, 2}.available(ring, std::vector{"a", "b"}).readable;
//
// Every function takes the placement rule of the replicas as preference_list does: `r`; `r` and a
// Spread; or DatacenterReplicas. (A Quorum has its own `n`, so it takes a Spread or nothing.)

#include <algorithm>  // copy_n, equal, lexicographical_compare, max, min, sort
#include <array>      // array
#include <bit>        // bit_ceil, bit_width
#include <cmath>      // sqrt
#include <concepts>   // integral
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t, uint64_t
#include <memory>     // make_unique_for_overwrite, unique_ptr
#include <span>       // dynamic_extent, span
#include <string>     // string, to_string
#include <utility>    // move, swap
#include <vector>     // vector

#include "clockwise/arc.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/detail/ring/walk.hpp"
#include "clockwise/replication.hpp"
#include "clockwise/theory.hpp"

namespace clockwise {

namespace detail {

template <Ring R, std::integral Count>
OneGroup placement_rule(const R& ring, Count r) {
  return {static_cast<std::size_t>(r), ring.default_spread()};
}
template <Ring R, std::integral Count>
OneGroup placement_rule(const R&, Count r, Spread spread) {
  return {static_cast<std::size_t>(r), spread};
}
template <Ring R>
ByDatacenter placement_rule(const R&, const DatacenterReplicas& wanted) {
  return {wanted};
}

/// Collects distinct numbers, given one by one. A hash divides them into parts that fit a near
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
    std::unique_ptr<std::uint64_t[]> numbers;
    std::size_t size = 0;
    std::size_t capacity = 0;

    void grow(std::size_t to) {
      auto larger = std::make_unique_for_overwrite<std::uint64_t[]>(to);
      std::copy_n(numbers.get(), size, larger.get());
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
        bits_((std::max)(static_cast<int>(std::bit_width(limit - 1)), 1)),
        per_word_(64 / static_cast<std::size_t>(bits_)),
        words_((width + per_word_ - 1) / per_word_) {}

  std::size_t size() const { return words_ == 0 ? 0 : packed_.size() / words_; }

  /// Calls for_each(take), which calls take(set) for each set, about `expected` times, in any
  /// order; keeps one of each. O(n) if a set fits in one word, otherwise O(n log n).
  template <class ForEach>
  void fill(std::size_t expected, ForEach for_each) {
    if (words_ == 1) {
      DistinctNumbers numbers(expected);
      for_each([&](auto set) { numbers.insert(word_of_unsorted(set)); });
      packed_ = std::move(numbers).take();
    } else {
      packed_.reserve(expected * words_);
      std::vector<std::uint32_t> sorted;
      for_each([&](auto set) {
        sorted.assign(set.begin(), set.end());
        std::sort(sorted.begin(), sorted.end());
        pack(sorted, packed_);
      });
      keep_distinct();
    }
  }

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
    for (const std::uint64_t word : words) hash = mix(hash ^ word);
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

/// Calls visit(places) for every choice of `k` of the numbers below `n`, until it returns true.
/// Returns whether it did.
template <class Visit>
bool any_combination(std::size_t n, std::size_t k, std::vector<std::size_t>& places, Visit visit) {
  if (k > n) return false;
  places.resize(k);
  for (std::size_t i = 0; i < k; ++i) places[i] = i;
  for (;;) {
    if (visit(places)) return true;
    std::size_t i = k;
    while (i > 0 && places[i - 1] == n - k + i - 1) --i;
    if (i == 0) return false;
    ++places[i - 1];
    for (; i < k; ++i) places[i] = places[i - 1] + 1;
  }
}

}  // namespace detail

/// Limits on the work of loss().
struct LossOptions {
  /// The most set lookups for an exact count.
  std::uint64_t exact_lookups = std::uint64_t{1} << 25;
  std::uint64_t samples = 100000;  ///< Samples per estimate, fewer if expensive.
  std::uint64_t seed = 0;          ///< The same seed gives the same estimate on every platform.
};

/// A probability, counted or estimated.
struct LossProbability {
  double value = 0;
  double low = 0;     ///< `low` to `high` is a 95% confidence interval.
  double high = 0;    ///< If `exact`, both equal `value`.
  bool exact = true;  ///< Counted, not estimated.
};

/// The distinct sets of nodes that hold the replicas of some key. Members that own nothing hold
/// none and are not counted among the nodes that fail. Independent of the ring's later changes.
class ReplicaSets {
 public:
  std::uint64_t distinct = 0;  ///< Sets that hold some key.
  std::uint64_t possible = 0;  ///< Possible sets: C(nodes, replicas), or 2^64 - 1 if more.
  std::size_t nodes = 0;       ///< Nodes that hold data.
  std::size_t replicas = 0;    ///< Nodes in each set: as many as the ring can provide.

  /// The probability that `failed` nodes, failing at once, hold all replicas of a key. Every choice
  /// of nodes is equally likely. More than there are: all of them.
  double loss_probability(std::size_t failed) const { return loss(failed).value; }

  /// The same, with its confidence interval. Exact if `failed` <= replicas, if all fail, or if
  /// counting every choice stays within options.exact_lookups: C(nodes, failed) choices of at most
  /// C(failed - 1, replicas - 1) lookups each. Otherwise estimated by the method of Karp and Luby
  /// for unions (1983), whose relative error stays small even for rare losses.
  LossProbability loss(std::size_t failed, const LossOptions& options = {}) const {
    const std::size_t down = (std::min)(failed, nodes);
    if (down < replicas || distinct == 0) return exactly(0);
    if (down == nodes) return exactly(1);
    const double choices = theory::combinations(nodes, down);
    if (down == replicas) return exactly(static_cast<double>(distinct) / choices);
    const double lookups = choices * theory::combinations(down - 1, replicas - 1);
    detail::SetIndex index(sets_);
    if (lookups <= static_cast<double>(options.exact_lookups)) {
      std::vector<std::uint32_t> chosen;
      return exactly(static_cast<double>(count_losses(index, 0, down, chosen)) / choices);
    }
    return estimate(index, down, options);
  }

  /// The mean share of the key space whose replicas are all on `failed` random nodes. It depends
  /// only on the counts of nodes and replicas: fewer sets are lost less often, but each loses more.
  double expected_loss(std::size_t failed) const {
    return distinct == 0 ? 0 : theory::expected_loss(nodes, replicas, (std::min)(failed, nodes));
  }

  /// Each member's scatter width: how many others share a key with it, and so help to restore it.
  /// Indexed as members(). O(N + sets * replicas^2).
  std::vector<std::size_t> scatter_widths() const {
    // The sets of each node, node by node.
    std::vector<std::size_t> ends(members_ + 1);
    for_each_set([&](const auto& set) {
      for (const std::uint32_t node : set) ++ends[node + 1];
    });
    for (std::size_t node = 0; node < members_; ++node) ends[node + 1] += ends[node];
    std::vector<std::uint32_t> sets_of_nodes(ends.back());
    std::uint32_t number = 0;
    for_each_set([&](const auto& set) {
      for (const std::uint32_t node : set) sets_of_nodes[ends[node]++] = number;
      ++number;
    });

    std::vector<std::size_t> widths(members_);
    std::vector<std::size_t> met_by(members_, members_);
    std::vector<std::uint32_t> set(replicas);
    std::size_t i = 0;
    for (std::size_t node = 0; node < members_; ++node) {
      for (; i < ends[node]; ++i) {
        sets_.unpack(sets_of_nodes[i], set);
        for (const std::uint32_t peer : set) {
          if (peer == node || met_by[peer] == node) continue;
          met_by[peer] = node;
          ++widths[node];
        }
      }
    }
    return widths;
  }
  /// The mean scatter width of the nodes that hold data.
  double scatter_width() const {
    double sum = 0;
    for (const std::size_t width : scatter_widths()) sum += static_cast<double>(width);
    return nodes == 0 ? 0 : sum / static_cast<double>(nodes);
  }

  /// The fewest sets that would give every node the scatter width `width`: N S / (R (R - 1)), the
  /// number of copysets of Cidon et al., "Copysets" (2013). 0 for one replica.
  double fewest_sets(double width) const {
    const auto r = static_cast<double>(replicas);
    return replicas < 2 ? 0 : static_cast<double>(nodes) * width / (r * (r - 1));
  }

  /// Set number `i`, below `distinct`: indices into members(), ascending.
  std::vector<std::uint32_t> operator[](std::size_t i) const {
    std::vector<std::uint32_t> set(replicas);
    sets_.unpack(i, set);
    return set;
  }

 private:
  template <detail::Ring R, class... Rule>
  friend ReplicaSets replica_sets(const R& ring, const Rule&... rule);

  template <class R, class Request>
  void collect(const R& ring, const Request& request) {
    sets_ = detail::PackedSets(replicas, ring.size());
    sets_.fill(ring.vnode_count(), [&](auto take) {
      detail::for_each_replica_set(ring, request, [&](std::size_t, const auto& set) { take(set); });
    });
    distinct = sets_.size();
  }

  /// Calls visit(set) for each set.
  template <class Visit>
  void for_each_set(Visit visit) const {
    std::vector<std::uint32_t> set(replicas);
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      sets_.unpack(i, set);
      visit(set);
    }
  }

  static LossProbability exactly(double probability) {
    return {probability, probability, probability, true};
  }

  /// How many choices of `down` nodes hold a set, among those that begin with `chosen` and continue
  /// with nodes from number `first` on.
  std::uint64_t count_losses(detail::SetIndex& index, std::size_t first, std::size_t down,
                             std::vector<std::uint32_t>& chosen) const {
    std::uint64_t count = 0;
    for (std::size_t next = first; nodes - next + chosen.size() >= down; ++next) {
      chosen.push_back(holders_[next]);
      if (completes_a_set(index, chosen)) {
        count += theory::combinations_exact(nodes - next - 1, down - chosen.size());
      } else if (chosen.size() < down) {
        count += count_losses(index, next + 1, down, chosen);
      }
      chosen.pop_back();
    }
    return count;
  }

  /// Whether the last of `chosen` forms a set with others of `chosen`.
  bool completes_a_set(detail::SetIndex& index, const std::vector<std::uint32_t>& chosen) const {
    std::vector<std::size_t> places;
    std::vector<std::uint32_t> set(replicas);
    set.back() = chosen.back();
    return detail::any_combination(chosen.size() - 1, replicas - 1, places, [&](const auto& some) {
      for (std::size_t i = 0; i < some.size(); ++i) set[i] = chosen[some[i]];
      return index.contains(set);
    });
  }

  /// P(any set fails) = sum over sets of P(it fails) * E[1 / (sets that fail with it)].
  LossProbability estimate(detail::SetIndex& index, std::size_t down,
                           const LossOptions& options) const {
    constexpr std::uint64_t most_lookups = std::uint64_t{1} << 23;
    constexpr std::uint64_t fewest_samples = 200;
    const double subsets = theory::combinations(down, replicas);
    const double cost = (std::min)(subsets, static_cast<double>(distinct));
    std::uint64_t samples = (std::max)(options.samples, std::uint64_t{1});
    if (static_cast<double>(samples) * cost > static_cast<double>(most_lookups)) {
      samples = (std::max)(static_cast<std::uint64_t>(static_cast<double>(most_lookups) / cost),
                           (std::min)(samples, fewest_samples));
    }

    Draws draws(options.seed);
    std::vector<std::uint32_t> order = holders_;  // the nodes that fail come first
    std::vector<std::uint32_t> place(members_);
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::uint32_t>(i);
    const auto swap = [&](std::size_t a, std::size_t b) {
      std::swap(order[a], order[b]);
      place[order[a]] = static_cast<std::uint32_t>(a);
      place[order[b]] = static_cast<std::uint32_t>(b);
    };
    double sum = 0;
    double squares = 0;
    std::vector<std::uint32_t> set(replicas);
    std::vector<std::uint32_t> failed;
    for (std::uint64_t i = 0; i < samples; ++i) {
      std::size_t front = 0;
      sets_.unpack(draws.below(distinct), set);
      for (const std::uint32_t node : set) swap(front++, place[node]);
      for (; front < down; ++front) swap(front, front + draws.below(nodes - front));
      const double share =
          1 / static_cast<double>(subsets <= static_cast<double>(distinct)
                                      ? count_sets_within(index, order, down, failed)
                                      : count_sets_before(place, down));
      sum += share;
      squares += share * share;
    }

    const auto n = static_cast<double>(samples);
    const double mean = sum / n;
    const double variance = (std::max)(squares / n - mean * mean, 0.0);
    // 1.96 standard errors; at least 3 / n, the rule of three, for when no samples differed.
    const double error = (std::max)(1.96 * std::sqrt(variance / n), 3 / n);
    const double scale =
        static_cast<double>(distinct) * theory::expected_loss(nodes, replicas, down);
    const auto probability = [&](double share) {
      return (std::min)((std::max)(share * scale, 0.0), 1.0);
    };
    return {probability(mean), probability(mean - error), probability(mean + error), false};
  }

  std::uint64_t count_sets_within(detail::SetIndex& index, const std::vector<std::uint32_t>& order,
                                  std::size_t down, std::vector<std::uint32_t>& failed) const {
    failed.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(down));
    std::sort(failed.begin(), failed.end());
    std::uint64_t count = 0;
    std::vector<std::size_t> places;
    std::vector<std::uint32_t> set(replicas);
    detail::any_combination(down, replicas, places, [&](const auto& some) {
      for (std::size_t i = 0; i < replicas; ++i) set[i] = failed[some[i]];
      if (index.contains(set)) ++count;
      return false;
    });
    return count;
  }
  std::uint64_t count_sets_before(const std::vector<std::uint32_t>& place, std::size_t down) const {
    std::uint64_t count = 0;
    for_each_set([&](const auto& set) {
      bool all = true;
      for (const std::uint32_t node : set) all = all && place[node] < down;
      if (all) ++count;
    });
    return count;
  }

  class Draws {
   public:
    explicit Draws(std::uint64_t seed) : seed_(seed) {}
    /// Uniform below `bound`: discards draws that would favour small numbers.
    std::size_t below(std::uint64_t bound) {
      std::uint64_t draw = detail::draw(seed_, next_++);
      while (draw < (0 - bound) % bound) draw = detail::draw(seed_, next_++);
      return static_cast<std::size_t>(draw % bound);
    }

   private:
    std::uint64_t seed_;
    std::uint64_t next_ = 0;
  };

  std::size_t members_ = 0;             // including those that hold nothing
  std::vector<std::uint32_t> holders_;  // those that hold data: indices into members(), ascending
  detail::PackedSets sets_;
};

/// Counts the replica sets of a ring exactly. `rule`: see above. Throws std::invalid_argument for 0
/// replicas. O(R M) for M positions and N nodes; O(R M log M) if R log2(N) is above 64 bits. Memory
/// while it runs: about 18 M bytes, more in the latter case.
template <detail::Ring R, class... Rule>
ReplicaSets replica_sets(const R& ring, const Rule&... rule) {
  const auto request = detail::placement_rule(ring, rule...);
  if (request.requested() == 0) detail::fail_invalid("replicas must be at least 1, got 0");
  ReplicaSets result;
  result.members_ = ring.size();
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (ring.members()[i].vnodes > 0) result.holders_.push_back(static_cast<std::uint32_t>(i));
  }
  result.nodes = result.holders_.size();
  for (std::size_t group = 0; group < request.groups(); ++group) {
    result.replicas += detail::attainable(request.requested(group), request.spread,
                                          request.extent(ring.topology(), group));
  }
  if (result.replicas == 0) return result;

  result.possible = theory::combinations_exact(result.nodes, result.replicas);
  result.collect(ring, request);
  return result;
}

/// What is lost with one rack or datacenter.
struct DomainLoss {
  std::string datacenter;
  std::string rack;       ///< Empty for a whole datacenter.
  std::size_t nodes = 0;  ///< Its members, including drained ones.
  double lost = 0;        ///< The share of the key space with all replicas in it.
};

struct DomainLosses {
  std::vector<DomainLoss> domains;  ///< By datacenter, then rack.

  /// Probability that losing a random domain loses data: the share that hold all of a key.
  double probability() const {
    double losing = 0;
    for (const DomainLoss& domain : domains) losing += domain.lost > 0 ? 1 : 0;
    return domains.empty() ? 0 : losing / static_cast<double>(domains.size());
  }
  /// The largest share of the key space lost with one.
  double worst() const {
    double worst = 0;
    for (const DomainLoss& domain : domains) worst = (std::max)(worst, domain.lost);
    return worst;
  }
};

namespace detail {

/// `domain_of(i)`: the index in `domains` of member `i`'s domain, or past the end if it is in none.
template <class R, class Request, class DomainOf>
DomainLosses domain_losses(const R& ring, const Request& request, std::vector<DomainLoss> domains,
                           DomainOf domain_of) {
  std::vector<Width> widths(domains.size());
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (domain_of(i) < domains.size()) ++domains[domain_of(i)].nodes;
  }
  for_each_replica_set(ring, request, [&](std::size_t rank, const auto& nodes) {
    if (nodes.empty()) return;
    const std::size_t domain = domain_of(nodes.front());
    bool all = domain < domains.size();
    for (const std::uint32_t node : nodes) all = all && domain_of(node) == domain;
    if (all) widths[domain] += ring.table().arc_at(rank).width();
  });
  for (std::size_t i = 0; i < domains.size(); ++i) domains[i].lost = widths[i].fraction();
  return {std::move(domains)};
}

}  // namespace detail

/// Returns what is lost with each rack. Members without a rack are left out. O(M).
template <detail::Ring R, class... Rule>
DomainLosses rack_losses(const R& ring, const Rule&... rule) {
  const auto& topology = ring.topology();
  std::vector<DomainLoss> racks;
  std::vector<std::size_t> place(topology.domain_limit(), topology.domain_limit());
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const auto& member = ring.members()[i];
    if (member.rack.empty() || place[topology.domain(i)] < racks.size()) continue;
    place[topology.domain(i)] = racks.size();
    racks.push_back({member.datacenter, member.rack});
  }
  return detail::domain_losses(ring, detail::placement_rule(ring, rule...), std::move(racks),
                               [&](std::size_t i) { return place[topology.domain(i)]; });
}

/// Returns what is lost with each datacenter; the one without a name counts as one. O(M).
template <detail::Ring R, class... Rule>
DomainLosses datacenter_losses(const R& ring, const Rule&... rule) {
  const auto& topology = ring.topology();
  std::vector<DomainLoss> datacenters;
  for (const auto& member : ring.members()) {
    const std::size_t number = topology.datacenter_named(member.datacenter);
    if (number >= datacenters.size()) datacenters.resize(number + 1);
    datacenters[number].datacenter = member.datacenter;
  }
  return detail::domain_losses(ring, detail::placement_rule(ring, rule...), std::move(datacenters),
                               [&](std::size_t i) { return topology.datacenter(i); });
}

/// The shares of the key space that can be read and written while some nodes are down.
struct Availability {
  double readable = 0;
  double writable = 0;
};

/// n replicas of each key; a read queries r of them, a write waits for w. A strict quorum:
/// substitutes for nodes that are down do not count.
struct Quorum {
  std::size_t n = 3;
  std::size_t r = 2;
  std::size_t w = 2;

  /// Whether every read sees the latest write: r + w > n, so the two share a replica.
  bool reads_see_latest_write() const { return r > n || w > n - r; }
  /// How many replicas of a key can be down while it can still be read, or written. 0 also for a
  /// quorum above n, which is never met.
  std::size_t read_failures() const { return r > n ? 0 : n - r; }
  std::size_t write_failures() const { return w > n ? 0 : n - w; }

  /// Returns the shares of the key space that can be read and written while the nodes `dead` (any
  /// range of ids or nodes) are down. `spread`: as for preference_list. Throws
  /// std::invalid_argument unless 1 <= r, w <= n, and std::out_of_range for an id that is not a
  /// member. O(M).
  template <detail::Ring R, class Dead>
  Availability available(const R& ring, const Dead& dead) const {
    return available(ring, dead, ring.default_spread());
  }
  template <detail::Ring R, class Dead>
  Availability available(const R& ring, const Dead& dead, Spread spread) const {
    for (const std::size_t quorum : {r, w}) {
      if (quorum < 1 || quorum > n) {
        detail::fail_invalid("a quorum must be between 1 and " + std::to_string(n) + ", got " +
                             std::to_string(quorum));
      }
    }
    std::vector<bool> is_dead(ring.size());
    for (const auto& id : dead) {
      const auto index = ring.index_of(id);
      if (index == R::npos) {
        detail::fail_range("available: " + detail::quoted(std::string_view(detail::id_of(id))) +
                           " is not a member");
      }
      is_dead[index] = true;
    }
    Width readable;
    Width writable;
    detail::for_each_replica_set(ring, detail::OneGroup{n, spread},
                                 [&](std::size_t rank, const auto& nodes) {
                                   std::size_t live = 0;
                                   for (const std::uint32_t node : nodes)
                                     if (!is_dead[node]) ++live;
                                   const Width width = ring.table().arc_at(rank).width();
                                   if (live >= r) readable += width;
                                   if (live >= w) writable += width;
                                 });
    return {readable.fraction(), writable.fraction()};
  }
};

}  // namespace clockwise

#endif  // CLOCKWISE_DURABILITY_HPP
