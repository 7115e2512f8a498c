// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_MULTI_PROBE_HPP
#define CLOCKWISE_MULTI_PROBE_HPP

// Multi-probe consistent hashing (Appleton and O'Reilly 2015): one position per node, several
// probes per key; the probe nearest to a node decides.
//
//   clockwise::MultiProbe nodes({"a", "b", "c"});
//   nodes.lookup("user:42");
//
// Compared with a ring: memory for N positions instead of N * vnodes, and a hottest node near 1.05
// times the mean (21 probes), but one search per probe. Use it for many rings, or for a huge fleet,
// with few lookups.

#include <algorithm>         // sort
#include <compare>           // strong_ordering
#include <cstddef>           // size_t
#include <cstdint>           // uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <utility>           // move, pair
#include <vector>            // vector

#include "clockwise/arc.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/scheme/surface.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/ring/walk.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// Part of the placement: every program must agree.
struct MultiProbeOptions {
  /// Probes per key, 1 to 4,096. With K probes, the hottest node has about K / (K - 1) times the
  /// mean: 1.05 for 21.
  std::uint32_t probes = 21;
};

/// A node is at hash(id). A key's probes are draw(hash(key), i), i = 0 .. probes - 1, the outputs
/// of SplitMix64. The node at the least clockwise distance from a probe owns the key; ties go to
/// the smallest id. A pure function of hash policy, probes and ids. There are no weights: a node
/// has one position.
///
///   std::invalid_argument  probes of 0 or above 4,096, an empty id, an id that is already a member
///   std::out_of_range      lookup if there are no nodes
///
/// lookup: O(probes * log N). Mutators: O(N), all or nothing. Thread safety: that of a standard
/// container. A model of Partitioner.
template <HashFunction Hash, class Node>
class MultiProbe : public detail::MemberTable<MultiProbe<Hash, Node>, Hash, UnweightedNode<Node>> {
  using Base = detail::MemberTable<MultiProbe, Hash, UnweightedNode<Node>>;
  using Table = detail::RingTable<std::uint32_t>;

 public:
  using Base::npos;
  using Base::size;
  using typename Base::index_type;

  MultiProbe() = default;
  explicit MultiProbe(MultiProbeOptions options, Hash hash = {})
      : Base(std::move(hash)), options_(checked(options)) {}
  MultiProbe(std::initializer_list<Node> nodes, MultiProbeOptions options = {}, Hash hash = {})
      : MultiProbe(options, std::move(hash)) {
    for (const Node& node : nodes) add(node);
  }

  /// Adds a node; keys move only to it.
  void add(Node node) {
    const auto id = detail::id_of(node);
    const std::size_t place = this->place_to_join(id);
    Table::Change change;
    change.added.push_back({position_of_node(id), static_cast<std::uint32_t>(place)});
    for (std::size_t i = 0; i < size(); ++i) {
      change.renumber.push_back(static_cast<std::uint32_t>(i < place ? i : i + 1));
    }
    Table table = table_.after(std::move(change));
    this->insert(place, {std::move(node)});
    table_ = std::move(table);
  }

  /// Removes a node; returns false if absent. Keys move only away from it.
  template <class Id>
  bool remove(const Id& id) {
    const std::size_t place = this->index_of(id);
    if (place == npos) return false;
    Table::Change change;
    change.dropped.push_back(
        {position_of_node(detail::id_of(this->node(place))), static_cast<std::uint32_t>(place)});
    for (std::size_t i = 0; i < size(); ++i) {
      change.renumber.push_back(static_cast<std::uint32_t>(i <= place ? i : i - 1));
    }
    Table table = table_.after(std::move(change));
    this->erase(place);
    table_ = std::move(table);
    return true;
  }

  /// The owner's index in members(), or npos if there are no nodes.
  index_type lookup_index(Position position) const noexcept {
    if (this->empty()) return npos;
    Hit best{~std::uint64_t{0}, ~std::uint32_t{0}};
    for (std::uint32_t i = 0; i < options_.probes; ++i) {
      const std::uint64_t probe = detail::draw(static_cast<std::uint64_t>(position), i);
      const Hit hit = hit_at(table_.rank_of(probe), probe);
      if (hit < best) best = hit;
    }
    return best.owner;
  }

  /// The owner, then the owner without those before it: nodes by least distance from a probe.
  /// O(probes * (log N + r)), plus a sort of probes * r distances.
  template <class Key>
  ReplicaList<Node> preference_list(const Key& key, std::size_t r) const {
    ReplicaList<Node> list(r);
    const std::size_t wanted = r < size() ? r : size();
    std::vector<Hit> hits;
    hits.reserve(wanted * options_.probes);
    for (std::uint32_t i = 0; i < options_.probes; ++i) {
      const std::uint64_t probe =
          detail::draw(static_cast<std::uint64_t>(this->position_of(key)), i);
      std::size_t rank = table_.rank_of(probe);
      for (std::size_t left = wanted; left > 0; --left) {
        hits.push_back(hit_at(rank, probe));
        if (++rank == size()) rank = 0;
      }
    }
    std::sort(hits.begin(), hits.end());
    detail::SmallSet taken(wanted, size());
    for (const Hit& hit : hits) {
      if (list.size() == wanted) break;
      if (taken.contains(hit.owner)) continue;
      taken.insert(hit.owner);
      list.push_back(this->node(hit.owner));
    }
    return list;
  }

  /// Returns the exact shares of keys with independent, uniform probes, in id order. O(N log N).
  ///
  /// With arcs a_j, the probability that a probe is farther than d from its node is S(d) = sum of
  /// max(a_j - d, 0). With K probes, each node with an arc longer than d wins at distance d at the
  /// same rate, K * S(d)^(K-1). So all arcs longer than two consecutive arc lengths gain S(start)^K
  /// - S(end)^K between these, in equal parts.
  std::vector<std::pair<Node, double>> load_shares() const {
    std::vector<std::pair<double, std::size_t>> arcs;
    std::vector<Width> widths(size());
    table_.for_each_arc([&](const Arc& arc, std::uint32_t owner) { widths[owner] = arc.width(); });
    for (std::size_t i = 0; i < size(); ++i) arcs.emplace_back(widths[i].fraction(), i);
    std::sort(arcs.begin(), arcs.end());

    std::vector<double> by_member(size());
    double share = 0;
    double passed = 0;
    double before = 1;  // S^K at the previous arc length
    for (std::size_t k = 0; k < arcs.size(); ++k) {
      const auto longer = static_cast<double>(arcs.size() - k);  // including this one
      passed += arcs[k].first;
      const double farther = 1 - passed - (longer - 1) * arcs[k].first;
      const double after = k + 1 == arcs.size() ? 0 : power(farther > 0 ? farther : 0);
      share += (before - after) / longer;
      before = after;
      by_member[arcs[k].second] = share;
    }
    std::vector<std::pair<Node, double>> shares;
    shares.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) shares.emplace_back(this->node(i), by_member[i]);
    return shares;
  }

  const MultiProbeOptions& options() const noexcept { return options_; }

 private:
  struct Hit {
    std::uint64_t distance;
    std::uint32_t owner;
    friend constexpr auto operator<=>(const Hit&, const Hit&) = default;
  };

  static MultiProbeOptions checked(MultiProbeOptions options) {
    if (options.probes == 0 || options.probes > 4096) {
      detail::fail_invalid("probes must be between 1 and 4096, got " +
                           std::to_string(options.probes));
    }
    return options;
  }
  std::uint64_t position_of_node(std::string_view id) const noexcept {
    return detail::hash_key(this->hash(), id);
  }
  Hit hit_at(std::size_t rank, std::uint64_t probe) const noexcept {
    return {table_.positions()[rank] - probe, table_.owners()[rank]};
  }
  double power(double base) const {
    double result = 1;
    for (std::uint32_t i = 0; i < options_.probes; ++i) result *= base;
    return result;
  }

  MultiProbeOptions options_;
  Table table_;
};

MultiProbe(std::initializer_list<const char*>, MultiProbeOptions = {})
    -> MultiProbe<Xxh3, std::string>;

}  // namespace clockwise

#endif  // CLOCKWISE_MULTI_PROBE_HPP
