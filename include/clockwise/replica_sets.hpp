// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_REPLICA_SETS_HPP
#define CLOCKWISE_REPLICA_SETS_HPP

// The sets of nodes that hold data together, and the probability of losing some of it.
//
//   const auto sets = clockwise::replica_sets(ring, 3);
//   sets.distinct;               // triples that hold data, of sets.possible
//   sets.loss_probability(3);    // that 3 random nodes hold all of some key

#include <algorithm>  // max, min, sort
#include <cmath>      // sqrt
#include <cstddef>    // ptrdiff_t, size_t
#include <cstdint>    // uint32_t, uint64_t
#include <span>       // span
#include <utility>    // swap
#include <vector>     // vector

#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/ring/packed_sets.hpp"
#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/replication.hpp"
#include "clockwise/theory.hpp"

namespace clockwise {

namespace detail {

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

  ReplicaSets() = default;
  ReplicaSets(const ReplicaSets&) = default;
  /// Leaves `other` without sets.
  ReplicaSets(ReplicaSets&& other) noexcept { swap(other); }
  ReplicaSets& operator=(ReplicaSets other) noexcept {
    swap(other);
    return *this;
  }
  ~ReplicaSets() = default;

  void swap(ReplicaSets& other) noexcept {
    std::swap(distinct, other.distinct);
    std::swap(possible, other.possible);
    std::swap(nodes, other.nodes);
    std::swap(replicas, other.replicas);
    std::swap(members_, other.members_);
    std::swap(holders_, other.holders_);
    std::swap(sets_, other.sets_);
  }

  /// The probability that `failed` nodes, failing at once, hold all replicas of a key. Every choice
  /// of nodes is equally likely. A number above `nodes` means all nodes.
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

  /// Each member's scatter width: the number of other nodes that share a key with it, and so help
  /// to restore it. Indexed as members(). O(N + sets * replicas^2), less if all nodes share keys
  /// with all.
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
        if (widths[node] + 1 == nodes) i = ends[node] - 1;  // it has met all others
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
  template <Ring R>
  friend ReplicaSets replica_sets(const R& ring, const Replication& replication);

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
    const double cost = (std::min)(subsets, static_cast<double>(distinct)) *
                        static_cast<double>(sets_.words_per_set());
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
    // 1.96 standard errors; at least 3 / n, the rule of three, if no samples differed.
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

  std::size_t members_ = 0;             // including nodes that hold nothing
  std::vector<std::uint32_t> holders_;  // nodes that hold data: indices into members(), ascending
  detail::PackedSets sets_;
};

/// Counts the replica sets of a ring exactly. Throws std::invalid_argument for 0 replicas. O(R M)
/// for R replicas, M positions and N nodes, O(N) if R is N. If R log2(N) is above 64 bits, also O(R
/// log(M)) for each position whose set differs from its neighbour's. Memory while it runs: about 18
/// M bytes; above 64 bits, three times the memory of the distinct sets.
template <Ring R>
ReplicaSets replica_sets(const R& ring, const Replication& replication) {
  if (replication.requested() == 0) detail::fail_no_replicas();
  const auto& members = ring.members();
  const detail::Topology topology = detail::Topology::of(members);
  ReplicaSets result;
  result.members_ = members.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].vnodes > 0) result.holders_.push_back(static_cast<std::uint32_t>(i));
  }
  result.nodes = result.holders_.size();
  result.replicas = detail::list_size(ring, topology, replication);
  if (result.replicas == 0) return result;

  result.possible = theory::combinations_exact(result.nodes, result.replicas);
  result.sets_ = detail::PackedSets(result.replicas, members.size());
  if (result.replicas == result.nodes) {  // every set is all of them
    result.sets_.fill(1, [&](auto take) { take(std::span<const std::uint32_t>(result.holders_)); });
  } else {
    result.sets_.fill(ring.positions().size(), [&](auto take) {
      detail::for_each_replica_set(ring, topology, replication,
                                   [&](std::size_t, const auto& set) { take(set); });
    });
  }
  result.distinct = result.sets_.size();
  return result;
}

}  // namespace clockwise

#endif  // CLOCKWISE_REPLICA_SETS_HPP
