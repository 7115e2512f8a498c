// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_RENDEZVOUS_HPP
#define CLOCKWISE_RENDEZVOUS_HPP

// Rendezvous hashing, or highest random weight (Thaler and Ravishankar 1998): each node draws a
// number for the key, and the node with the best draw owns it.
//
//   clockwise::Rendezvous nodes({"cache-a", "cache-b", "cache-c"});
//   nodes.add("cache-d", 2.0);
//   nodes.lookup("user:42");              // the owner
//   nodes.preference_list("user:42", 3);  // the owner, then the owner without it, and so on
//
// Compared with a ring: no vnodes, shares as even as the hash itself, a few words per node, and the
// whole order of preference from one lookup; but a lookup visits every node. Use it up to a few
// dozen nodes.

#include <algorithm>         // max, min, partial_sort
#include <array>             // array
#include <compare>           // strong_ordering
#include <cstddef>           // ptrdiff_t, size_t
#include <cstdint>           // uint64_t
#include <initializer_list>  // initializer_list
#include <string>            // string
#include <string_view>       // string_view
#include <type_traits>       // remove_cvref_t
#include <utility>           // move
#include <vector>            // vector

#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/scheme/fingerprint_bytes.hpp"
#include "clockwise/detail/scheme/hashed.hpp"
#include "clockwise/detail/scheme/surface.hpp"
#include "clockwise/detail/scheme/weighted_rank.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

namespace detail {

/// The placement of a Rendezvous, by member.
struct RendezvousPlacement {
  std::vector<std::uint64_t> seeds;       ///< hash(id)
  std::vector<Scaled> ones_over_weights;  ///< A mantissa of 0 if the member is drained.
  bool equal_weights = true;  ///< The order of draws is that of ranks: the logarithm is left out.

  std::size_t bytes() const noexcept {
    return seeds.capacity() * sizeof(std::uint64_t) + ones_over_weights.capacity() * sizeof(Scaled);
  }
};

}  // namespace detail

/// The node with the smallest -ln(u) / weight owns a key; u is mix(hash(key) ^ hash(id)) as a
/// fraction of 2^64. So a node of weight w owns w / (sum of weights) of the keys. The key's bytes
/// are hashed once. Ties go to the larger u, then the smaller id. The logarithm is computed in
/// integers (detail/scheme/weighted_rank.hpp), so owners are equal on every platform. A pure
/// function of hash policy, ids and weights.
///
/// A join moves keys only to the joiner, a leave only from the leaver, a higher weight only to its
/// node, a lower one only from it. Weight 0 drains a node.
///
///   std::invalid_argument  an empty id, an id that is already a member, a weight that is negative,
///                          NaN or infinite
///   std::out_of_range      set_weight or set_options of an id that is not a member; lookup if
///                          no member owns anything
///
/// lookup: O(N), one mix per node if all weights are equal, otherwise about ten times as long.
/// Mutators: O(N), all or nothing. Thread safety: that of a standard container. A model of
/// Partitioner.
template <HashFunction Hash, class Node>
class Rendezvous : public detail::Surface<Rendezvous<Hash, Node>, Node, std::size_t,
                                          detail::RendezvousPlacement>,
                   public detail::Hashed<Hash> {
  using Base = detail::Surface<Rendezvous, Node, std::size_t, detail::RendezvousPlacement>;

 public:
  Rendezvous() = default;
  explicit Rendezvous(Hash policy) : detail::Hashed<Hash>(std::move(policy)) {}
  Rendezvous(std::initializer_list<Entry<Node>> entries, Hash policy = {})
      : Rendezvous(std::move(policy)) {
    add_all(entries);
  }
  Rendezvous(std::initializer_list<Node> nodes, Hash policy = {})
    requires(!detail::Text<Node>)
      : Rendezvous(std::move(policy)) {
    add_all(nodes);
  }
  template <EntryRange<Node> Entries>
  explicit Rendezvous(Entries&& entries, Hash policy = {}) : Rendezvous(std::move(policy)) {
    add_all(entries);
  }

  // --- Owners: the node, the same or nullptr, its index, many indexes ----------------------------

  using Base::lookup;
  using Base::lookup_batch;
  using Base::npos;
  using Base::try_lookup;
  using detail::Hashed<Hash>::position_of;

  /// Returns the owner's index in members(), npos if no member owns anything.
  std::size_t lookup_index(Position position) const noexcept {
    const auto key = static_cast<std::uint64_t>(position);
    const detail::RendezvousPlacement& draws = this->placement();
    if (!draws.equal_weights) return lookup_weighted(key);
    const std::vector<std::uint64_t>& seeds = draws.seeds;
    if (seeds.empty()) return npos;
    // Which draw is best cannot be predicted, so there is no branch on it.
    std::size_t best = 0;
    std::uint64_t best_draw = detail::mix(key ^ seeds[0]);
    for (std::size_t i = 1; i < seeds.size(); ++i) {
      const std::uint64_t drawn = detail::mix(key ^ seeds[i]);
      best = drawn > best_draw ? i : best;
      best_draw = drawn > best_draw ? drawn : best_draw;
    }
    return best;
  }

  // --- Replicas: by Replication, or `r` and a Spread; among live nodes ---------------------------

  using Base::default_spread;
  using Base::preference_list;

  // --- Members and shares ------------------------------------------------------------------------

  using Base::contains;
  using Base::empty;
  using Base::index_of;
  using Base::load_shares;
  using Base::member;
  using Base::members;
  using Base::memory_bytes;
  using Base::node;
  using Base::size;

  // --- Changes -----------------------------------------------------------------------------------

  using Base::add;
  using Base::add_all;
  using Base::clear;
  using Base::remove;
  using Base::set_node;
  using Base::set_options;
  using Base::set_weight;
  using Base::update;

  /// The argument of update()'s function.
  class Edit : public detail::Edit<Edit, Rendezvous, Node> {
    using detail::Edit<Edit, Rendezvous, Node>::Edit;
  };

  // --- Identity ----------------------------------------------------------------------------------

  using detail::Hashed<Hash>::circle;
  using detail::Hashed<Hash>::hash;

  /// Returns 128 bits that are equal if and only if hash policy (seed included) and members (id,
  /// weight, rack, datacenter) are equal, regardless of order; the same on every platform. O(N).
  Fingerprint fingerprint() const {
    detail::FingerprintBytes bytes("clockwise rendezvous, version 1");
    bytes.append(std::string_view(Hash::name));
    bytes.append(circle());
    bytes.append_members(members());
    return bytes.digest();
  }

  /// The same placement: hash policy, ids, weights, racks and datacenters are equal. O(N).
  friend bool operator==(const Rendezvous& a, const Rendezvous& b) {
    return a.circle() == b.circle() && a.has_members_of(b) && a.has_weights_of(b);
  }

 private:
  friend Base;

  static constexpr std::size_t few = 8;

  /// In order of preference.
  struct Ranked {
    std::uint64_t rank;
    std::uint64_t reversed_draw;
    std::size_t index;
    friend constexpr auto operator<=>(const Ranked&, const Ranked&) = default;
  };

  template <class Visit>
  void for_each_ranked(std::uint64_t key, Visit visit) const {
    const detail::RendezvousPlacement& draws = this->placement();
    for (std::size_t i = 0; i < draws.seeds.size(); ++i) {
      const detail::Scaled& one_over_weight = draws.ones_over_weights[i];
      if (one_over_weight.mantissa == 0) continue;
      const std::uint64_t drawn = detail::mix(key ^ draws.seeds[i]);
      const std::uint64_t rank =
          draws.equal_weights ? 0 : detail::weighted_rank(drawn, one_over_weight);
      visit(Ranked{rank, ~drawn, i});
    }
  }

  std::size_t lookup_weighted(std::uint64_t key) const noexcept {
    Ranked best{~std::uint64_t{0}, ~std::uint64_t{0}, npos};
    for_each_ranked(key, [&](const Ranked& ranked) {
      if (ranked.rank <= best.rank && ranked < best) best = ranked;
    });
    return best.index;
  }

  /// The best draw first: without the first node, the second owns the key, and so on. O(N + r^2)
  /// for up to 8 expected nodes, without heap memory; otherwise O(N log r).
  template <class Visit>
  void visit_preferred(Position position, std::size_t expected, Visit visit) const {
    const auto key = static_cast<std::uint64_t>(position);
    if (expected <= few) {
      std::array<Ranked, few> best;
      std::size_t found = 0;
      for_each_ranked(key, [&](const Ranked& ranked) {
        if (found == expected && !(ranked < best[expected - 1])) return;
        std::size_t place = found < expected ? found++ : expected - 1;
        for (; place > 0 && ranked < best[place - 1]; --place) best[place] = best[place - 1];
        best[place] = ranked;
      });
      for (std::size_t i = 0; i < found; ++i) {
        if (!visit(best[i].index)) return;
      }
      if (found < expected) return;  // no member is left
    }
    std::vector<Ranked> all;
    all.reserve(size());
    for_each_ranked(key, [&](const Ranked& ranked) { all.push_back(ranked); });
    std::size_t sorted = 0;  // in parts that double, because most are not read
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == sorted) {
        sorted = (std::min)(all.size(), 2 * sorted + 2 * few);
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(i);
        std::partial_sort(first, all.begin() + static_cast<std::ptrdiff_t>(sorted), all.end());
      }
      if (!visit(all[i].index)) return;
    }
  }

  /// The share of the keys whose best draw is a member's: weight / sum of weights.
  std::vector<double> shares() const {
    double largest = 0;
    for (const auto& row : members()) largest = (std::max)(largest, row.weight);
    const double unit = largest < 0x1p900 ? 1 : 0x1p64;  // exact, and keeps the sum finite
    double total = 0;
    for (const auto& row : members()) total += row.weight / unit;
    std::vector<double> shares;
    shares.reserve(size());
    for (const auto& row : members()) {
      shares.push_back(total > 0 ? row.weight / unit / total : 0);
    }
    return shares;
  }

  detail::RendezvousPlacement placement_after(const typename Base::Change& change) const {
    detail::RendezvousPlacement draws;
    draws.seeds.resize(change.members.size());
    for (std::size_t i = 0; i < size(); ++i) {
      if (change.renumber[i] != npos) draws.seeds[change.renumber[i]] = this->placement().seeds[i];
    }
    for (const auto& step : change.steps) {
      if (step.after != nullptr && step.before == nullptr) {
        draws.seeds[step.new_index] = detail::hash_key(this->hash(), step.id);
      }
    }
    draws.ones_over_weights.reserve(change.members.size());
    for (const auto* row : change.members) {
      draws.ones_over_weights.push_back(row->weight > 0 ? detail::reciprocal(row->weight)
                                                        : detail::Scaled{0, 0});
      draws.equal_weights =
          draws.equal_weights && row->weight > 0 && row->weight == change.members.front()->weight;
    }
    return draws;
  }
};

Rendezvous(std::initializer_list<const char*>) -> Rendezvous<>;
template <HashFunction Hash>
Rendezvous(std::initializer_list<const char*>, Hash) -> Rendezvous<Hash>;
Rendezvous(std::initializer_list<Entry<std::string>>) -> Rendezvous<>;
template <HashFunction Hash>
Rendezvous(std::initializer_list<Entry<std::string>>, Hash) -> Rendezvous<Hash>;
template <HashFunction Hash>
Rendezvous(Hash) -> Rendezvous<Hash>;
template <class Entries>
  requires(!HashFunction<std::remove_cvref_t<Entries>>)
Rendezvous(Entries&& entries) -> Rendezvous<Xxh3, entry_node_t<Entries>>;
template <class Entries, HashFunction Hash>
Rendezvous(Entries&& entries, Hash) -> Rendezvous<Hash, entry_node_t<Entries>>;

}  // namespace clockwise

#endif  // CLOCKWISE_RENDEZVOUS_HPP
