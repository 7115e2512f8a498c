// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_RENDEZVOUS_HPP
#define CLOCKWISE_RENDEZVOUS_HPP

// Rendezvous hashing, or highest random weight (Thaler and Ravishankar 1998): each node draws a
// number for the key, and the node with the best draw owns it.
//
//   clockwise::Rendezvous nodes({"cache-a", "cache-b", "cache-c"});
//   nodes.add("cache-d", 2.0);
//   nodes.lookup("user:42");              // the owner
//   nodes.preference_list("user:42", 3);  // the owner, then the owner without those before it
//
// Compared with a ring: no vnodes, shares as even as the hash itself, a few words per node, and the
// whole order of preference from one lookup; but a lookup visits every node. Use it up to a few
// dozen nodes.

#include <algorithm>         // partial_sort
#include <array>             // array
#include <compare>           // strong_ordering
#include <cstddef>           // ptrdiff_t, size_t
#include <cstdint>           // uint64_t
#include <initializer_list>  // initializer_list
#include <string>            // string
#include <string_view>       // string_view
#include <utility>           // move, pair
#include <vector>            // vector

#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/scheme/surface.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/scheme/weighted_rank.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// The node with the least -ln(u) / weight owns a key, where u is mix(hash(key) ^ hash(id)) as a
/// fraction of 2^64. So a node of weight w owns w / (sum of weights) of the keys. The key's bytes
/// are hashed once. Ties go to the larger u, then the smaller id. The logarithm is computed in
/// integers (detail/weighted_rank.hpp), so owners are equal on every platform. A pure function of
/// hash policy, ids and weights.
///
/// A join moves keys only to the joiner, a leave only from the leaver, a higher weight only to its
/// node, a lower one only from it. Weight 0 drains a node.
///
///   std::invalid_argument  an empty id, an id that is already a member, a weight that is negative,
///                          NaN or infinite
///   std::out_of_range      set_weight of an id that is not a member, lookup if nothing is owned
///
/// lookup: O(N), one mix per node if all weights are equal, otherwise about ten times as long.
/// Mutators: O(N), all or nothing. Thread safety: that of a standard container. A model of
/// Partitioner.
template <HashFunction Hash, class Node>
class Rendezvous : public detail::MemberTable<Rendezvous<Hash, Node>, Hash, WeightedNode<Node>> {
  using Base = detail::MemberTable<Rendezvous, Hash, WeightedNode<Node>>;

 public:
  using Base::npos;
  using Base::size;
  using typename Base::index_type;

  Rendezvous() = default;
  explicit Rendezvous(Hash hash) : Base(std::move(hash)) {}
  Rendezvous(std::initializer_list<Node> nodes, Hash hash = {}) : Base(std::move(hash)) {
    for (const Node& node : nodes) add(node);
  }

  void add(Node node, double weight = 1.0) {
    const auto id = detail::id_of(node);
    const std::size_t place = this->place_to_join(id);
    weight = detail::checked_weight(id, weight);
    const std::uint64_t seed = detail::hash_key(this->hash(), std::string_view(id));
    if (seeds_.capacity() == size()) seeds_.reserve(2 * size() + 1);
    if (ones_over_weights_.capacity() == size()) ones_over_weights_.reserve(2 * size() + 1);
    this->insert(place, {std::move(node), weight});
    const auto at = static_cast<std::ptrdiff_t>(place);
    seeds_.insert(seeds_.begin() + at, seed);
    ones_over_weights_.insert(ones_over_weights_.begin() + at, one_over(weight));
    note_weights();
  }

  /// Removes a node; returns false if absent.
  template <class Id>
  bool remove(const Id& id) {
    const std::size_t place = this->index_of(id);
    if (place == npos) return false;
    this->erase(place);
    const auto at = static_cast<std::ptrdiff_t>(place);
    seeds_.erase(seeds_.begin() + at);
    ones_over_weights_.erase(ones_over_weights_.begin() + at);
    note_weights();
    return true;
  }

  template <class Id>
  void set_weight(const Id& id, double weight) {
    const std::size_t place = this->place_of_present(id, "set_weight");
    weight = detail::checked_weight(detail::id_of(id), weight);
    this->members_[place].weight = weight;
    ones_over_weights_[place] = one_over(weight);
    note_weights();
  }

  /// The owner's index in members(), or npos if there is none.
  index_type lookup_index(Position position) const noexcept {
    const auto key = static_cast<std::uint64_t>(position);
    if (!equal_weights_) return lookup_weighted(key);
    if (seeds_.empty()) return npos;
    // Which draw is best cannot be predicted, so there is no branch on it.
    index_type best = 0;
    std::uint64_t best_draw = detail::mix(key ^ seeds_[0]);
    for (std::size_t i = 1; i < seeds_.size(); ++i) {
      const std::uint64_t drawn = detail::mix(key ^ seeds_[i]);
      best = drawn > best_draw ? i : best;
      best_draw = drawn > best_draw ? drawn : best_draw;
    }
    return best;
  }

  /// Returns the nodes with the r best draws, the best first: without the first node, the second
  /// owns the key, and so on. Up to r = 8, O(N + r^2) without heap memory; above, O(N log r).
  template <class Key>
  ReplicaList<Node> preference_list(const Key& key, std::size_t r) const {
    const auto position = static_cast<std::uint64_t>(this->position_of(key));
    ReplicaList<Node> list(r);
    if (r <= few) {
      std::array<Ranked, few> best;
      std::size_t found = 0;
      for_each_ranked(position, [&](const Ranked& ranked) {
        if (found == r && (r == 0 || !(ranked < best[r - 1]))) return;
        std::size_t place = found < r ? found++ : r - 1;
        for (; place > 0 && ranked < best[place - 1]; --place) best[place] = best[place - 1];
        best[place] = ranked;
      });
      for (std::size_t i = 0; i < found; ++i) list.push_back(this->node(best[i].index));
    } else {
      std::vector<Ranked> all;
      all.reserve(size());
      for_each_ranked(position, [&](const Ranked& ranked) { all.push_back(ranked); });
      const std::size_t found = r < all.size() ? r : all.size();
      std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(found), all.end());
      for (std::size_t i = 0; i < found; ++i) list.push_back(this->node(all[i].index));
    }
    return list;
  }

  /// Returns the shares over all keys, in id order: weight / sum of weights.
  std::vector<std::pair<Node, double>> load_shares() const {
    double total = 0;
    for (const auto& member : this->members_) total += member.weight;
    std::vector<std::pair<Node, double>> shares;
    shares.reserve(size());
    for (const auto& member : this->members_) {
      shares.emplace_back(member.node, total > 0 ? member.weight / total : 0);
    }
    return shares;
  }

 private:
  static constexpr std::size_t few = 8;

  /// Compares in order of preference.
  struct Ranked {
    std::uint64_t rank;
    std::uint64_t reversed_draw;
    std::size_t index;
    friend constexpr auto operator<=>(const Ranked&, const Ranked&) = default;
  };

  /// Returns 1 / weight; a mantissa of 0 if the member is drained.
  static detail::Scaled one_over(double weight) {
    return weight > 0 ? detail::reciprocal(weight) : detail::Scaled{0, 0};
  }

  /// If weights are equal, draws are in the order of ranks, so the logarithm can be skipped.
  void note_weights() noexcept {
    equal_weights_ = true;
    for (const auto& member : this->members_) {
      if (member.weight != this->members_[0].weight || !(member.weight > 0)) equal_weights_ = false;
    }
  }

  template <class Visit>
  void for_each_ranked(std::uint64_t key, Visit visit) const {
    for (std::size_t i = 0; i < seeds_.size(); ++i) {
      const detail::Scaled& one_over_weight = ones_over_weights_[i];
      if (one_over_weight.mantissa == 0) continue;
      const std::uint64_t drawn = detail::mix(key ^ seeds_[i]);
      const std::uint64_t rank = equal_weights_ ? 0 : detail::weighted_rank(drawn, one_over_weight);
      visit(Ranked{rank, ~drawn, i});
    }
  }

  index_type lookup_weighted(std::uint64_t key) const noexcept {
    Ranked best{~std::uint64_t{0}, ~std::uint64_t{0}, npos};
    for_each_ranked(key, [&](const Ranked& ranked) {
      if (ranked.rank <= best.rank && ranked < best) best = ranked;
    });
    return best.index;
  }

  std::vector<std::uint64_t> seeds_;               // by member: hash(id)
  std::vector<detail::Scaled> ones_over_weights_;  // by member
  bool equal_weights_ = true;
};

Rendezvous(std::initializer_list<const char*>) -> Rendezvous<Xxh3, std::string>;

}  // namespace clockwise

#endif  // CLOCKWISE_RENDEZVOUS_HPP
