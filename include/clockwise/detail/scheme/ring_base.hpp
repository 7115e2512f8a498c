// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_RING_BASE_HPP
#define CLOCKWISE_DETAIL_SCHEME_RING_BASE_HPP

// The part of every ring that other partitioners lack: positions and their owners, arcs, exact
// shares. A ring defines only the positions of its vnodes.

#include <concepts>  // unsigned_integral
#include <cstddef>   // size_t
#include <cstdint>   // uint32_t, uint64_t
#include <span>      // span
#include <string>    // to_string
#include <utility>   // pair
#include <vector>    // vector

#include "clockwise/arc.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/ring/successors.hpp"
#include "clockwise/detail/scheme/surface.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise::detail {

[[noreturn]] CLOCKWISE_COLD inline void fail_too_many_positions(std::uint64_t positions) {
  detail::fail_length({"a ring can have up to ", max_positions, " positions, got ", positions});
}

/// Gives the library access to the table of a ring, for work on whole tables.
struct RingAccess {
  template <class Ring>
  static const auto& table(const Ring& ring) noexcept {
    return ring.table();
  }
};

/// The tables of a ring without further tables.
template <std::unsigned_integral Index, class Lookup>
struct RingPlacement {
  RingTable<Index, Lookup> table;

  std::size_t bytes() const noexcept { return table.bytes(); }
};

/// A ring derives from RingBase<Ring, …> and offers what Surface requires, except the functions
/// here. `Placement`: RingPlacement, or a structure with such a `table`.
template <class Ring, class Node, std::unsigned_integral Index, class Lookup = BucketIndex,
          class Extra = NoExtra, class Placement = RingPlacement<Index, Lookup>>
class RingBase : public Surface<Ring, Node, Index, Placement, Extra> {
 public:
  /// The class that the scheme befriends.
  using SurfaceType = Surface<Ring, Node, Index, Placement, Extra>;
  using SurfaceType::npos;

  /// Returns the index of the owner of `position` in members(), npos if no member owns anything.
  /// Like lookup, with the key already hashed.
  Index lookup_index(Position position) const noexcept {
    return table().owner_of(static_cast<std::uint64_t>(position));
  }

  /// As in Surface. On a large ring the memory reads of many positions overlap.
  void lookup_batch(std::span<const Position> positions, std::span<Index> owners) const {
    this->check_batch(positions.size(), owners.size());
    table().owners_of(positions, owners);
  }

  /// Returns the arc in which `position` lies; its owner owns all of it. The whole circle if there
  /// is only one position. Throws std::out_of_range if the ring owns nothing. O(log M).
  Arc arc_of(Position position) const {
    if (table().empty()) detail::fail_range("arc_of: the ring owns nothing");
    return detail::arc_at(positions(), table().rank_of(static_cast<std::uint64_t>(position)));
  }

  /// Returns a range, read once, of every distinct node that owns something, clockwise from `key`
  /// found lazily. It refers to the ring; a change invalidates it.
  template <class Key>
  auto successors(const Key& key) const& {
    const auto position = static_cast<std::uint64_t>(ring().position_of(key));
    return Successors<Node, Index>(owners(), this->members(), table().rank_of(position),
                                   table().empty() ? 0 : this->topology().whole().nodes);
  }
  template <class Key>
  void successors(const Key&) const&& = delete;  // it would refer to nothing

  using SurfaceType::load_shares;
  /// Returns each member and the share of the key space that it holds a replica of, in id order.
  /// The shares sum to the length of the lists: the replicas requested, or as many as the ring can
  /// provide. O(M R + N) for R replicas.
  std::vector<std::pair<Node, double>> load_shares(const Replication& replication) const {
    const auto widths = detail::replica_widths(ring(), this->topology(), replication);
    std::vector<std::pair<Node, double>> shares;
    shares.reserve(widths.size());
    for (std::size_t i = 0; i < widths.size(); ++i) {
      shares.emplace_back(this->members()[i].node, widths[i].fraction());
    }
    return shares;
  }

  /// Returns each member's exact share of the circle, by its index in members(). O(M + N).
  std::vector<Width> widths() const {
    std::vector<Width> widths(this->size());
    detail::for_each_arc(positions(), owners(),
                         [&](const Arc& arc, Index owner) { widths[owner] += arc.width(); });
    return widths;
  }

  /// Returns the number of positions of all members.
  std::size_t vnode_count() const noexcept { return table().size(); }
  /// Returns all positions, ascending.
  std::span<const std::uint64_t> positions() const& noexcept { return table().positions(); }
  std::span<const std::uint64_t> positions() const&& = delete;  // it would refer to nothing
  /// Returns the owner of each of positions(), as an index in members().
  std::span<const Index> owners() const& noexcept { return table().owners(); }
  std::span<const Index> owners() const&& = delete;  // it would refer to nothing

 protected:
  using Table = RingTable<Index, Lookup>;

  const Table& table() const noexcept { return this->placement().table; }

  /// The same members in the same racks, at the same positions of the same circle.
  bool places_like(const RingBase& other) const {
    return ring().circle() == other.ring().circle() && table() == other.table() &&
           this->has_members_of(other);
  }

 private:
  friend SurfaceType;
  friend RingAccess;

  const Ring& ring() const noexcept { return static_cast<const Ring&>(*this); }

  template <class Visit>
  void visit_preferred(Position position, std::size_t, Visit visit) const {
    detail::walk(table(), table().rank_of(static_cast<std::uint64_t>(position)), visit);
  }

  std::vector<double> shares() const {
    std::vector<double> shares;
    shares.reserve(this->size());
    for (const Width& width : widths()) shares.push_back(width.fraction());
    return shares;
  }
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_RING_BASE_HPP
