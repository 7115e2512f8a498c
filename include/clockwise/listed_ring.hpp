// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_LISTED_RING_HPP
#define CLOCKWISE_LISTED_RING_HPP

// The base of rings that are made from a list of servers: the rings of other engines, in which the
// order of the list decides ties and any weight can move all points, and your own rings.
//
//   class MyRing : public clockwise::ListedRing<MyRing> { … };    // examples/own_ring.cpp

#include <algorithm>    // fill, lower_bound, sort, unique
#include <concepts>     // same_as
#include <cstddef>      // size_t
#include <cstdint>      // uint16_t, uint32_t, uint64_t
#include <span>         // span
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <utility>      // move, pair
#include <vector>       // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/scheme/edit.hpp"
#include "clockwise/detail/scheme/fingerprint_bytes.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

/// The trait of a server that only its name and weight place.
using NoTrait = detail::NoExtra;

/// A server as the engine's configuration lists it. `Trait`: the data that places it in addition to
/// name and weight.
template <class Trait = NoTrait>
struct ListedServer {
  std::string name;
  std::uint32_t weight = 1;
  [[no_unique_address]] Trait trait{};
};

/// A point of server number `server` in the list.
struct ListedPoint {
  std::uint64_t position;
  std::uint32_t server;
};

namespace detail {

/// The tables of a listed ring.
template <class Trait>
struct ListedPlacement {
  RingTable<std::uint16_t> table;
  std::vector<ListedServer<Trait>> servers;  // in the order of the list

  std::size_t bytes() const noexcept {
    return table.bytes() + servers.capacity() * sizeof(ListedServer<Trait>);
  }
};

}  // namespace detail

/// The base of a ring whose servers are a list: the engine rings in compat/, and your own rings.
/// Nodes are strings, servers as the engine's configuration names them. `Ring` derives from
/// ListedRing<Ring> and offers, in private if ListedRing is its friend:
///
///   static engine                    its name, for messages and in fingerprints
///   append_points(servers, points)   all points of the list, in any order
///
/// and, unless the defaults will do:
///
///   Position position_of(key)        the position of a key: by default, as in a HashRing
///   std::uint64_t circle()           a number that distinguishes its circle, given together with
///                                    position_of: a hash of a fixed key
///   weights()                        the weights that it accepts, first and last: only 1
///   points_at_most(servers)          an upper bound, as 64 bits, checked before any allocation
///   label(server)                    the text that it hashes for a server: by default, its name.
///                                    Equal labels are refused
///
/// If positions are equal, the server listed first keeps the point, as in the engine. A server that
/// joins goes to the end of the list; a new weight leaves it where it is.
///
/// Every mutator is all or nothing and costs as much as building the ring: O(M log M).
template <class Ring, class Trait = NoTrait>
class ListedRing : public detail::RingBase<Ring, std::string, std::uint16_t, BucketIndex, Trait,
                                           detail::ListedPlacement<Trait>> {
  using Base = detail::RingBase<Ring, std::string, std::uint16_t, BucketIndex, Trait,
                                detail::ListedPlacement<Trait>>;

 public:
  using Server = ListedServer<Trait>;
  using Servers = std::span<const Server>;

  // --- Owners: the node, the same or nullptr, its index, many indexes, its arc -------------------

  using Base::arc_of;
  using Base::lookup;
  using Base::lookup_batch;
  using Base::lookup_index;
  using Base::npos;
  using Base::try_lookup;

  /// Returns the position of `key`: by Xxh3, as in a HashRing, or a Position itself.
  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{detail::hash_key(Xxh3{}, key)};
  }

  // --- Replicas: by Replication, or `r` and a Spread; among live nodes; every node, lazily -------

  // Among live nodes, the walk skips the points of nodes that are down. A ring whose engine differs
  // deletes or replaces these overloads.
  using Base::default_spread;
  using Base::preference_list;
  using Base::successors;

  // --- Shares: of the key space, as doubles or exactly -------------------------------------------

  using Base::load_shares;
  using Base::widths;

  // --- Members and positions ---------------------------------------------------------------------

  using Base::contains;
  using Base::empty;
  using Base::index_of;
  using Base::member;
  using Base::members;
  using Base::memory_bytes;
  using Base::node;
  using Base::owners;
  using Base::positions;
  using Base::size;
  using Base::vnode_count;

  /// Returns the servers in the order of the list.
  Servers servers() const& noexcept { return this->placement().servers; }
  Servers servers() const&& = delete;  // it would refer to nothing

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
  class Edit : public detail::Edit<Edit, Ring, std::string, Trait> {
    using EditBase = detail::Edit<Edit, Ring, std::string, Trait>;

   public:
    using EditBase::add;
    using EditBase::EditBase;

    /// A server and the trait that places it in addition to name and weight.
    void add(Entry<std::string> entry, Trait trait)
      requires(!std::same_as<Trait, NoTrait>)
    {
      this->join(std::move(entry)).extra = std::move(trait);
    }
  };

  // --- Identity ----------------------------------------------------------------------------------

  /// Returns a number that distinguishes circles: rings with the same number put every key at the
  /// same position, so their arcs can be compared.
  std::uint64_t circle() const noexcept { return detail::policy_probe(Xxh3{}); }

  /// Returns 128 bits that are equal if and only if engine, hash of keys, members (id, weight,
  /// rack, datacenter) and points are equal; the same on every platform. O(M + N).
  Fingerprint fingerprint() const {
    detail::FingerprintBytes bytes("clockwise engine ring, version 1");
    bytes.append(std::string_view(Ring::engine));
    bytes.append(ring().circle());
    bytes.append_members(members());
    bytes.append_vnodes(positions(), owners());
    return bytes.digest();
  }

  /// The same placement: the same servers in the same racks and datacenters, with the same points
  /// on the same circle. O(M + N).
  friend bool operator==(const ListedRing& a, const ListedRing& b) { return a.places_like(b); }

 protected:
  ListedRing() = default;

  /// Returns the weight. Throws std::invalid_argument unless it is one of weights().
  double accepted_weight(std::string_view server, double weight) const {
    const auto [first, last] = ring().weights();
    const double whole = detail::checked_weight(server, weight);
    const std::uint32_t number =
        whole <= static_cast<double>(last) ? static_cast<std::uint32_t>(whole) : last;
    if (static_cast<double>(number) != whole || number < first) {
      detail::fail_invalid("weight of server " + detail::quoted(server) + " must be " +
                           (first == last ? std::to_string(first)
                                          : "a whole number between " + std::to_string(first) +
                                                " and " + std::to_string(last)) +
                           " for " + std::string(Ring::engine) + ", got " + std::to_string(weight));
    }
    return whole;
  }

 private:
  friend typename Base::SurfaceType;
  using Change = typename Base::Change;

  const Ring& ring() const noexcept { return static_cast<const Ring&>(*this); }

  // Defaults for the functions that a ring offers.
  static std::pair<std::uint32_t, std::uint32_t> weights() noexcept { return {1, 1}; }
  static std::uint64_t points_at_most(Servers) noexcept { return 0; }
  static const std::string& label(const Server& server) noexcept { return server.name; }

  detail::ListedPlacement<Trait> placement_after(Change& change) const {
    detail::ListedPlacement<Trait> placement;
    placement.servers = servers_after(change);
    check_servers(placement.servers);

    std::vector<ListedPoint> points;
    ring().append_points(Servers(placement.servers), points);
    check_number(points.size());
    std::sort(points.begin(), points.end(), [](const ListedPoint& a, const ListedPoint& b) {
      return a.position != b.position ? a.position < b.position : a.server < b.server;
    });
    points.erase(std::unique(points.begin(), points.end(),
                             [](const ListedPoint& a, const ListedPoint& b) {
                               return a.position == b.position;
                             }),
                 points.end());

    std::vector<std::uint16_t> numbers;  // by place in the list: its index in members()
    for (const Server& server : placement.servers) {
      numbers.push_back(static_cast<std::uint16_t>(index_in(change, server.name)));
    }
    std::fill(change.vnodes.begin(), change.vnodes.end(), 0);
    typename Base::Table::Change vnodes;
    vnodes.added.reserve(points.size());
    for (const ListedPoint& point : points) {
      const std::uint16_t owner = numbers[point.server];
      vnodes.added.push_back({point.position, owner});
      ++change.vnodes[owner];
    }
    placement.table = typename Base::Table().after(std::move(vnodes));
    return placement;
  }

  /// The list: servers that stay keep their order; servers that join follow, in turn.
  std::vector<Server> servers_after(const Change& change) const {
    std::vector<const typename Change::Step*> step_of(change.members.size());
    std::vector<const typename Change::Step*> joining;
    for (const auto& step : change.steps) {
      if (step.after == nullptr) continue;
      step_of[step.new_index] = &step;
      if (step.after->turn != 0) joining.push_back(&step);
    }
    std::sort(joining.begin(), joining.end(),
              [](const auto* a, const auto* b) { return a->after->turn < b->after->turn; });

    std::vector<Server> list;
    list.reserve(change.members.size());
    for (const Server& server : servers()) {
      const std::uint16_t index = change.renumber[index_of(server.name)];
      if (index == npos) continue;
      const auto* const step = step_of[index];
      if (step == nullptr) {
        list.push_back(server);
      } else if (step->after->turn == 0) {
        list.push_back(server_of(*step->after, server.trait));
      }
    }
    for (const auto* step : joining) list.push_back(server_of(*step->after, Trait{}));
    return list;
  }

  static Server server_of(const detail::PendingMember<std::string, Trait>& pending, Trait trait) {
    if constexpr (requires { pending.extra; }) {
      if (pending.extra) trait = *pending.extra;
    }
    return {pending.member.node, static_cast<std::uint32_t>(pending.member.weight),
            std::move(trait)};
  }

  static std::size_t index_in(const Change& change, std::string_view name) {
    const auto at = std::lower_bound(
        change.members.begin(), change.members.end(), name,
        [](const auto* member, std::string_view wanted) { return member->node < wanted; });
    return static_cast<std::size_t>(at - change.members.begin());
  }

  static void check_number(std::uint64_t points) {
    if (points > max_positions) {
      detail::fail_length("the servers' weights need " + std::to_string(points) +
                          " points; the maximum is " + std::to_string(max_positions));
    }
  }

  void check_servers(Servers list) const {
    check_number(ring().points_at_most(list));
    std::vector<std::pair<std::string, std::string_view>> labels;
    labels.reserve(list.size());
    for (const Server& server : list) labels.emplace_back(ring().label(server), server.name);
    std::sort(labels.begin(), labels.end());
    for (std::size_t i = 1; i < labels.size(); ++i) {
      if (labels[i].first != labels[i - 1].first) continue;
      detail::fail_invalid("servers " + detail::quoted(labels[i - 1].second) + " and " +
                           detail::quoted(labels[i].second) + " are the same to " +
                           std::string(Ring::engine));
    }
  }
};

}  // namespace clockwise

#endif  // CLOCKWISE_LISTED_RING_HPP
