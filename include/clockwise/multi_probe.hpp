// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_MULTI_PROBE_HPP
#define CLOCKWISE_MULTI_PROBE_HPP

// Multi-probe consistent hashing (Appleton and O'Reilly 2015): one position a node, several probes
// a key; the probe that is nearest to a node decides.
//
//   clockwise::MultiProbe nodes({"a", "b", "c"});
//   nodes.lookup("user:42");
//
// Against a ring: memory for N positions instead of N * vnodes and as even as some hundred vnodes,
// but a lookup searches as often as there are probes. For many rings, or a huge fleet, that are
// looked up seldom.

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
#include "clockwise/detail/error.hpp"
#include "clockwise/detail/member_table.hpp"
#include "clockwise/detail/mix.hpp"
#include "clockwise/detail/node_id.hpp"
#include "clockwise/detail/ring_table.hpp"
#include "clockwise/detail/walk.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replica_list.hpp"

namespace clockwise {

/// A part of the placement: every program has to use the same.
struct MultiProbeOptions {
  /// Positions tried for a key, 1 to 4,096. With K, the hottest node has about K / (K - 1) times
  /// the mean: 1.05 for 21.
  std::uint32_t probes = 21;
};

/// A node is at hash(id). A key has the probes draw(hash(key), i), i = 0 .. probes - 1, the outputs
/// of SplitMix64; the node that follows one of them at the least distance clockwise owns it, of
/// several the one with the smallest id. A pure function of hash policy, probes and ids. There are
/// no weights: a node has one position.
///
///   std::invalid_argument  probes of 0 or above 4,096, an empty id, an id that is a member already
///   std::out_of_range      lookup where there are no nodes
///
/// lookup: O(probes * log N). Mutators: O(N), all or nothing. Thread-safety: that of a standard
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

  /// Keys move only to this node.
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

  /// False where there is no such node. Keys move only away from this one.
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

  /// The owner's place in members(), npos where there are no nodes.
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

  /// The owner, then whoever owns the key without those before: nodes by their least distance from
  /// a probe. O(probes * (log N + r)) and a sort of as many.
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

  /// In id order: the exact shares of a key whose probes are independent and uniform. O(N log N).
  ///
  /// With arcs a_j, a probe is farther than d from its node with chance S(d) = sum of max(a_j - d,
  /// 0). A node with an arc longer than d wins there at the rate K * S(d)^(K-1), the same for each,
  /// so between two consecutive arc lengths all longer ones gain S(start)^K - S(end)^K in equal
  /// parts.
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
      const auto longer = static_cast<double>(arcs.size() - k);  // this one included
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
      detail::fail_invalid("probes is " + std::to_string(options.probes) +
                           "; it is from 1 to 4096");
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
