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

#include <algorithm>         // min, sort
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
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/base/small_set.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/scheme/fingerprint_bytes.hpp"
#include "clockwise/detail/scheme/hashed.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

/// Part of the placement: every program must agree.
struct MultiProbeOptions {
  /// Probes per key, 1 to 4,096. With K probes, the hottest node has about K / (K - 1) times the
  /// mean: 1.05 for 21.
  std::uint32_t probes = 21;
};

/// A node is at hash(id). A key's probes are draw(hash(key), i), i = 0 .. probes - 1, the outputs
/// of SplitMix64. The node at the smallest clockwise distance from a probe owns the key; ties go to
/// the smallest id. A pure function of hash policy, probes and ids. There are no weights: a node
/// has one position.
///
///   std::invalid_argument  probes of 0 or above 4,096, an empty id, an id that is already a
///                          member, a weight other than 1
///   std::out_of_range      set_weight, set_options or set_node of an id that is not a member,
///                          lookup if there are no nodes
///
/// lookup: O(probes * log N). Mutators: O(N), all or nothing. Thread safety: that of a standard
/// container. A model of Partitioner.
template <HashFunction Hash, class Node>
class MultiProbe : public detail::Surface<MultiProbe<Hash, Node>, Node, std::size_t,
                                          detail::RingPlacement<std::uint32_t, BucketIndex>>,
                   public detail::Hashed<Hash> {
  using Placement = detail::RingPlacement<std::uint32_t, BucketIndex>;
  using Base = detail::Surface<MultiProbe, Node, std::size_t, Placement>;

 public:
  MultiProbe() = default;
  explicit MultiProbe(MultiProbeOptions options, Hash policy = {})
      : detail::Hashed<Hash>(std::move(policy)), options_(checked(options)) {}
  MultiProbe(std::initializer_list<Entry<Node>> entries, MultiProbeOptions options = {},
             Hash policy = {})
      : MultiProbe(options, std::move(policy)) {
    add_all(entries);
  }
  MultiProbe(std::initializer_list<Node> nodes, MultiProbeOptions options = {}, Hash policy = {})
    requires(!detail::Text<Node>)
      : MultiProbe(options, std::move(policy)) {
    add_all(nodes);
  }
  template <EntryRange<Node> Entries>
  explicit MultiProbe(Entries&& entries, MultiProbeOptions options = {}, Hash policy = {})
      : MultiProbe(options, std::move(policy)) {
    add_all(entries);
  }

  // --- Owners: the node, the same or nullptr, its index, many indexes ----------------------------

  using Base::lookup;
  using Base::lookup_batch;
  using Base::npos;
  using Base::try_lookup;
  using detail::Hashed<Hash>::position_of;

  /// Returns the owner's index in members(), npos without nodes.
  std::size_t lookup_index(Position position) const noexcept {
    if (empty()) return npos;
    Hit best{~std::uint64_t{0}, ~std::uint32_t{0}};
    for (std::uint32_t i = 0; i < options_.probes; ++i) {
      const std::uint64_t probe = detail::draw(static_cast<std::uint64_t>(position), i);
      const Hit hit = hit_at(table().rank_of(probe), probe);
      if (hit < best) best = hit;
    }
    return best.owner;
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
  class Edit : public detail::Edit<Edit, MultiProbe, Node> {
    using detail::Edit<Edit, MultiProbe, Node>::Edit;
  };

  // --- Identity ----------------------------------------------------------------------------------

  using detail::Hashed<Hash>::circle;
  using detail::Hashed<Hash>::hash;
  MultiProbeOptions options() const noexcept { return options_; }

  /// Returns 128 bits that are equal if and only if hash policy (seed included), probes and members
  /// (id, rack, datacenter) are equal, regardless of order; the same on every platform. O(N).
  Fingerprint fingerprint() const {
    detail::FingerprintBytes bytes("clockwise multi-probe, version 1");
    bytes.append(std::string_view(Hash::name));
    bytes.append(circle());
    bytes.append(std::uint64_t{options_.probes});
    bytes.append_members(members());
    return bytes.digest();
  }

  /// The same placement: hash policy, probes, ids, racks and datacenters are equal. O(N).
  friend bool operator==(const MultiProbe& a, const MultiProbe& b) {
    return a.circle() == b.circle() && a.options_.probes == b.options_.probes &&
           a.has_members_of(b);
  }

 private:
  friend Base;
  using Table = detail::RingTable<std::uint32_t>;

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
  static double accepted_weight(std::string_view id, double weight) {
    return detail::weightless("MultiProbe", id, weight);
  }

  const Table& table() const noexcept { return this->placement().table; }
  std::uint64_t position_of_node(std::string_view id) const noexcept {
    return detail::hash_key(this->hash(), id);
  }
  Hit hit_at(std::size_t rank, std::uint64_t probe) const noexcept {
    return {table().positions()[rank] - probe, table().owners()[rank]};
  }
  double power(double base) const {
    double result = 1;
    for (std::uint32_t i = 0; i < options_.probes; ++i) result *= base;
    return result;
  }

  /// The owner, then each node that owns the key without the nodes before it: nodes by their
  /// smallest distance from a probe. O(probes * (log N + n)) for n nodes, and a sort of n nodes.
  template <class Visit>
  void visit_preferred(Position position, std::size_t expected, Visit visit) const {
    std::vector<Hit> hits;
    // A rule of racks can need few nodes or all: reads a few first, then ever more.
    constexpr std::size_t few = 16;
    std::size_t wanted = (std::min)(expected < size() && expected > 0 ? expected : few, size());
    for (std::size_t visited = 0; visited < size(); wanted = (std::min)(4 * wanted, size())) {
      hits.clear();
      hits.reserve(wanted * options_.probes);
      for (std::uint32_t i = 0; i < options_.probes; ++i) {
        const std::uint64_t probe = detail::draw(static_cast<std::uint64_t>(position), i);
        std::size_t rank = table().rank_of(probe);
        for (std::size_t left = wanted; left > 0; --left) {
          hits.push_back(hit_at(rank, probe));
          if (++rank == size()) rank = 0;
        }
      }
      std::sort(hits.begin(), hits.end());
      detail::SmallSet met(wanted, size());
      for (const Hit& hit : hits) {
        if (met.size() == wanted) break;
        if (met.contains(hit.owner)) continue;
        met.insert(hit.owner);
        if (met.size() > visited && !visit(std::size_t{hit.owner})) return;
      }
      visited = wanted;
    }
  }

  /// The exact shares of keys with independent, uniform probes. O(N log N).
  ///
  /// With arcs a_j, the probability that a probe is farther than d from its node is S(d) = sum of
  /// max(a_j - d, 0). With K probes, each node with an arc longer than d wins at distance d at the
  /// same rate, K * S(d)^(K-1). So all arcs longer than two consecutive arc lengths gain S(start)^K
  /// - S(end)^K between these, in equal parts.
  std::vector<double> shares() const {
    std::vector<std::pair<double, std::size_t>> arcs;
    std::vector<Width> widths(size());
    detail::for_each_arc(table().positions(), table().owners(),
                         [&](const Arc& arc, std::uint32_t owner) { widths[owner] = arc.width(); });
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
    return by_member;
  }

  Placement placement_after(const typename Base::Change& change) const {
    Table::Change vnodes;
    for (const std::size_t index : change.renumber) {
      vnodes.renumber.push_back(static_cast<std::uint32_t>(index));
    }
    for (const auto& step : change.steps) {
      if ((step.before == nullptr) == (step.after == nullptr)) continue;
      auto& vnode = step.before == nullptr ? vnodes.added : vnodes.dropped;
      const std::size_t index = step.before == nullptr ? step.new_index : step.old_index;
      vnode.push_back({position_of_node(step.id), static_cast<std::uint32_t>(index)});
    }
    return {table().after(std::move(vnodes))};
  }

  MultiProbeOptions options_;
};

MultiProbe(std::initializer_list<const char*>, MultiProbeOptions = {}) -> MultiProbe<>;
template <HashFunction Hash>
MultiProbe(std::initializer_list<const char*>, MultiProbeOptions, Hash) -> MultiProbe<Hash>;
MultiProbe(std::initializer_list<Entry<std::string>>, MultiProbeOptions = {}) -> MultiProbe<>;
template <HashFunction Hash>
MultiProbe(std::initializer_list<Entry<std::string>>, MultiProbeOptions, Hash) -> MultiProbe<Hash>;
MultiProbe(MultiProbeOptions) -> MultiProbe<>;
template <HashFunction Hash>
MultiProbe(MultiProbeOptions, Hash) -> MultiProbe<Hash>;
template <class Entries>
MultiProbe(Entries&& entries, MultiProbeOptions = {}) -> MultiProbe<Xxh3, entry_node_t<Entries>>;
template <class Entries, HashFunction Hash>
MultiProbe(Entries&& entries, MultiProbeOptions, Hash) -> MultiProbe<Hash, entry_node_t<Entries>>;

}  // namespace clockwise

#endif  // CLOCKWISE_MULTI_PROBE_HPP
