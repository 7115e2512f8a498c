// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_RING_BASE_HPP
#define CLOCKWISE_DETAIL_SCHEME_RING_BASE_HPP

// The queries of every ring, however its vnodes are placed. A ring flavour derives from
// RingBase<Flavour, Node, Index>, offers `position_of(key)`, and fills the table and the members.

#include <algorithm>    // min
#include <array>        // array
#include <concepts>     // predicate, same_as, unsigned_integral
#include <cstddef>      // size_t
#include <cstdint>      // uint32_t, uint64_t
#include <span>         // span
#include <string>       // to_string
#include <string_view>  // string_view
#include <utility>      // move, pair
#include <vector>       // vector

#include "clockwise/arc.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/ring/successors.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/detail/ring/walk.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise::detail {

/// The read side of every ring. A change invalidates every reference, list and span. Thread safety:
/// any number of threads can call const members at once, as long as none changes the ring.
template <class Ring, class Node, std::unsigned_integral Index, class Lookup = BucketIndex>
class RingBase {
 public:
  using node_type = Node;
  using index_type = Index;
  using Table = RingTable<Index, Lookup>;

  /// What lookup_index returns if the ring owns nothing.
  static constexpr Index npos = Table::npos;

  // --- Owners -----------------------------------------------------------------------------------

  /// Returns the owner of `key`. Throws std::out_of_range if the ring owns nothing: no members, or
  /// all drained. O(log M) for M positions.
  template <class Key>
  const Node& lookup(const Key& key) const {
    const Node* const owner = try_lookup(key);
    if (owner == nullptr) {
      fail_range("lookup: the ring owns nothing; it has " + std::to_string(size()) +
                 " members and no vnodes");
    }
    return *owner;
  }

  /// The same, but returns nullptr if the ring owns nothing.
  template <class Key>
  const Node* try_lookup(const Key& key) const noexcept {
    const Index owner = self().lookup_index(self().position_of(key));
    return owner == npos ? nullptr : &members_[owner].node;
  }

  /// Returns the owner's index in members(), or npos if the ring owns nothing.
  Index lookup_index(Position position) const noexcept {
    return table_.owner_of(static_cast<std::uint64_t>(position));
  }

  /// Sets owners[i] = lookup_index(positions[i]). Throws std::invalid_argument if lengths differ.
  void lookup_batch(std::span<const Position> positions, std::span<Index> owners) const {
    if (positions.size() != owners.size()) {
      fail_invalid("lookup_batch: " + std::to_string(positions.size()) + " positions but " +
                   std::to_string(owners.size()) + " owners");
    }
    table_.owners_of(positions, owners);
  }

  /// Returns the arc that `position` is in, all of which has one owner. The whole circle if there
  /// is only one position. Throws std::out_of_range if the ring owns nothing.
  Arc arc_of(Position position) const {
    if (table_.empty()) fail_range("arc_of: the ring owns nothing");
    return table_.arc_at(table_.rank_of(static_cast<std::uint64_t>(position)));
  }

  // --- Replicas ---------------------------------------------------------------------------------

  /// Returns the replicas of `key`, by Spread::racks if any member names a rack, otherwise by
  /// Spread::nodes. O(log M) plus the vnodes passed until the list is as full as it can get.
  template <class Key>
  ReplicaList<Node> preference_list(const Key& key, std::size_t r) const {
    return preference_list(key, r, default_spread());
  }
  template <class Key>
  ReplicaList<Node> preference_list(const Key& key, std::size_t r, Spread spread) const {
    return replicas(place_on_circle(key), OneGroup{r, spread});
  }

  /// The same among members for which is_live(node) is true. Ownership is unchanged: live nodes of
  /// the list without a predicate come first, in the same order. Then come substitutes (see
  /// ReplicaList::first_substitute) that make the list as spread out as the rule demands of the
  /// live members. `is_live` must not change its answers during the call. It is called r times if
  /// no replica is down; otherwise also for up to N members more, and again at each vnode of a
  /// member that is down and that the walk passes.
  template <class Key, class IsLive>
    requires std::predicate<const IsLive&, const Node&>
  ReplicaList<Node> preference_list(const Key& key, std::size_t r, Spread spread,
                                    const IsLive& is_live) const {
    return live_replicas(place_on_circle(key), OneGroup{r, spread}, is_live);
  }

  /// Returns replicas in each named datacenter, by the rule of Spread::racks inside each, in
  /// clockwise order over all of them. A datacenter that no member names leaves the list short.
  template <class Key>
  ReplicaList<Node> preference_list(const Key& key, const DatacenterReplicas& wanted) const {
    return replicas(place_on_circle(key), ByDatacenter{wanted});
  }
  template <class Key, class IsLive>
    requires std::predicate<const IsLive&, const Node&>
  ReplicaList<Node> preference_list(const Key& key, const DatacenterReplicas& wanted,
                                    const IsLive& is_live) const {
    return live_replicas(place_on_circle(key), ByDatacenter{wanted}, is_live);
  }

  /// The spread that preference_list uses if none is given.
  Spread default_spread() const noexcept {
    return topology_.has_racks() ? Spread::racks : Spread::nodes;
  }

  /// Every distinct node that owns something, clockwise from `key`, lazily.
  template <class Key>
  Successors<Node, Index> successors(const Key& key) const {
    return Successors<Node, Index>(owners(), members(), table_.rank_of(place_on_circle(key)),
                                   table_.empty() ? 0 : topology_.whole().nodes);
  }

  // --- Shares -----------------------------------------------------------------------------------

  /// Returns each member's exact share of the circle, by index in members(). O(M + N).
  std::vector<Width> widths() const {
    std::vector<Width> widths(size());
    table_.for_each_arc([&](const Arc& arc, Index owner) { widths[owner] += arc.width(); });
    return widths;
  }

  /// Returns each member and its share of the key space, in id order. The shares sum to 1, or to 0
  /// if the ring owns nothing. O(M + N).
  std::vector<std::pair<Node, double>> load_shares() const {
    const auto exact = widths();
    std::vector<std::pair<Node, double>> shares;
    shares.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
      shares.emplace_back(members_[i].node, exact[i].fraction());
    }
    return shares;
  }

  // --- Tables -----------------------------------------------------------------------------------

  std::size_t size() const noexcept { return members_.size(); }
  bool empty() const noexcept { return members_.empty(); }
  /// All positions of all members.
  std::size_t vnode_count() const noexcept { return table_.size(); }
  /// Ascending.
  std::span<const std::uint64_t> positions() const noexcept { return table_.positions(); }
  /// Parallel to positions(): their owners, as indices into members().
  std::span<const Index> owners() const noexcept { return table_.owners(); }
  /// In id order, drained members included.
  std::span<const Member<Node>> members() const noexcept { return members_; }
  /// `index` must be below size().
  const Node& node(Index index) const noexcept { return members_[index].node; }

  /// The index of `id` in members(), or npos. `id` is a node or an id. O(log N).
  template <class Id>
  Index index_of(const Id& id) const {
    const auto text = id_of(id);
    const std::size_t place = place_of(members_, text);
    return is_at(place, text) ? static_cast<Index>(place) : npos;
  }
  template <class Id>
  bool contains(const Id& id) const {
    return index_of(id) != npos;
  }

  /// The table itself, for code that works on whole tables.
  const Table& table() const noexcept { return table_; }
  const Topology& topology() const noexcept { return topology_; }

 protected:
  bool is_at(std::size_t place, std::string_view id) const {
    if (place == size()) return false;
    const auto own = id_of(members_[place].node);
    return std::string_view(own) == id;
  }

  std::vector<Member<Node>> members_;  // in id order
  Table table_;
  Topology topology_;

 private:
  static constexpr std::size_t most_few = 8;

  const Ring& self() const noexcept { return static_cast<const Ring&>(*this); }

  template <class Key>
  std::uint64_t place_on_circle(const Key& key) const noexcept {
    return static_cast<std::uint64_t>(self().position_of(key));
  }

  template <class Request>
  ReplicaList<Node> replicas(std::uint64_t position, const Request& request) const {
    if constexpr (std::same_as<Request, OneGroup>) {
      const auto extent = request.extent(topology_, 0);
      const bool apart = request.spread != Spread::nodes && topology_.has_racks();
      const std::size_t wanted = attainable(request.replicas, request.spread, extent);
      if (wanted <= most_few && (!apart || wanted <= extent.domains)) {
        return few_replicas(position, request.replicas, wanted, apart);
      }
    }
    return with_quotas(
        request, [&](std::size_t group) { return request.extent(topology_, group); },
        [&](std::span<Quota> quotas) {
          ReplicaList<Node> list(request.requested());
          fill(position, request, quotas, [&](Index owner) { list.push_back(node(owner)); });
          return list;
        });
  }

  /// The common case: up to `most_few` nodes, all in different failure domains. It needs no quota.
  ReplicaList<Node> few_replicas(std::uint64_t position, std::size_t requested, std::size_t wanted,
                                 bool apart) const {
    std::array<Index, most_few> owners;
    std::array<std::uint32_t, most_few> domains;
    std::size_t taken = 0;
    const std::uint32_t* const domain_of = apart ? topology_.domains().data() : nullptr;
    walk(table_, table_.rank_of(position), wanted, [&](Index owner) {
      const std::uint32_t domain = domain_of == nullptr ? std::uint32_t(owner) : domain_of[owner];
      for (std::size_t i = 0; i < taken; ++i) {
        if (domains[i] == domain) return false;
      }
      owners[taken] = owner;
      domains[taken] = domain;
      ++taken;
      return true;
    });
    return ReplicaList<Node>(requested, taken,
                             [&](std::size_t i) -> const Node& { return node(owners[i]); });
  }

  template <class Request, class IsLive>
  ReplicaList<Node> live_replicas(std::uint64_t position, const Request& request,
                                  const IsLive& is_live) const {
    const ReplicaList<Node> natural = replicas(position, request);
    ReplicaList<Node> list(request.requested());
    for (const Node& replica : natural) {
      if (is_live(replica)) list.push_back(replica);
    }
    if (list.size() == natural.size()) return natural;

    // Walked again among live nodes only, the rule takes every natural replica that is live: before
    // each of them, the walk has fewer nodes to take than the first walk had. All others it takes
    // are substitutes.
    return with_quotas(
        request, [&](std::size_t group) { return live_extent(request, group, is_live); },
        [&](std::span<Quota> quotas) {
          fill(
              position, request, quotas,
              [&](Index owner) {
                bool is_natural = false;
                for (const Node& replica : natural)
                  is_natural = is_natural || &replica == &node(owner);
                if (!is_natural) list.push_back_substitute(node(owner));
              },
              is_live);
          return list;
        });
  }

  /// Calls use(quotas) with one quota per group, without heap memory for up to 8.
  template <class Request, class ExtentOf, class Use>
  ReplicaList<Node> with_quotas(const Request& request, ExtentOf extent_of, Use use) const {
    const auto quota = [&](std::size_t group) {
      return Quota(request.requested(group), request.spread, extent_of(group),
                   topology_.domain_limit());
    };
    if constexpr (std::same_as<Request, OneGroup>) {
      std::array quotas{quota(0)};
      return use(std::span<Quota>(quotas));
    } else {
      std::array<Quota, 8> few;
      std::vector<Quota> many(request.groups() > few.size() ? request.groups() : 0);
      const std::span quotas =
          many.empty() ? std::span(few).first(request.groups()) : std::span<Quota>(many);
      for (std::size_t group = 0; group < quotas.size(); ++group) quotas[group] = quota(group);
      return use(quotas);
    }
  }

  struct EveryNode {
    bool operator()(const Node&) const { return true; }
  };

  /// The walk itself: calls emit(owner) for each owner that the quotas take.
  template <class Request, class Emit, class IsLive = EveryNode>
  void fill(std::uint64_t position, const Request& request, std::span<Quota> quotas, Emit emit,
            const IsLive& is_live = {}) const {
    std::size_t wanted = 0;
    for (const Quota& quota : quotas) wanted += quota.left();
    const bool apart = request.spread != Spread::nodes;
    walk(table_, table_.rank_of(position), wanted, [&](Index owner) {
      const std::size_t group = request.group_of(topology_, owner);
      const auto number = static_cast<std::uint32_t>(owner);
      if (group == quotas.size() ||
          !quotas[group].take(number, apart ? topology_.domain(owner) : number,
                              [&] { return is_live(node(owner)); })) {
        return false;
      }
      emit(owner);
      return true;
    });
  }

  /// Counts the live nodes and domains of the group, no further than it can use.
  template <class Request, class IsLive>
  Topology::Extent live_extent(const Request& request, std::size_t group,
                               const IsLive& is_live) const {
    const auto total = request.extent(topology_, group);
    const std::size_t enough = (std::min)(request.requested(group), total.nodes);
    SmallSet domains(enough, topology_.domain_limit());
    Topology::Extent live;
    for (std::size_t i = 0; i < size(); ++i) {
      if (live.nodes >= enough && live.domains >= (std::min)(enough, total.domains)) break;
      if (members_[i].vnodes == 0 || request.group_of(topology_, i) != group ||
          !is_live(members_[i].node)) {
        continue;
      }
      ++live.nodes;
      const std::uint32_t domain = topology_.domain(i);
      if (live.domains < enough && !domains.contains(domain)) {
        domains.insert(domain);
        ++live.domains;
      }
    }
    return live;
  }
};

/// Any ring flavour.
template <class T>
concept Ring = requires(const T& ring) {
  ring.table();
  ring.topology();
  ring.circle();
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_RING_BASE_HPP
