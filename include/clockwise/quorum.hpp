// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_QUORUM_HPP
#define CLOCKWISE_QUORUM_HPP

// The key space that can still be read and written while nodes are down.
//
//   clockwise::Quorum{3, 2, 2}.available(ring, std::vector{"a", "b"}).readable;

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t
#include <string>   // to_string
#include <vector>   // vector

#include "clockwise/arc.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

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
  /// How many replicas of a key can be down while it can still be read, or written. Also 0 for a
  /// quorum above n, which is never met.
  std::size_t read_failures() const { return r > n ? 0 : n - r; }
  std::size_t write_failures() const { return w > n ? 0 : n - w; }

  /// Returns the shares of the key space that can be read and written while the nodes `dead` (any
  /// range of ids or nodes) are down. `replication`: where the n replicas are; n by the ring's
  /// default spread if it is not given. Throws std::invalid_argument unless 1 <= r, w <= n and the
  /// replication requests n, and std::out_of_range for an id that is not a member. O(n M) for M
  /// positions.
  template <Ring R, IdRange Dead>
  Availability available(const R& ring, Dead&& dead) const {
    return available(ring, dead, Replication(n));
  }
  template <Ring R, IdRange Dead>
  Availability available(const R& ring, Dead&& dead, const Replication& replication) const {
    for (const std::size_t quorum : {r, w}) {
      if (quorum < 1 || quorum > n) {
        detail::fail_invalid("a quorum must be between 1 and " + std::to_string(n) + ", got " +
                             std::to_string(quorum));
      }
    }
    if (replication.requested() != n) {
      detail::fail_invalid("the replication must ask for the quorum's " + std::to_string(n) +
                           " replicas, got " + std::to_string(replication.requested()));
    }
    using Index = typename R::index_type;
    std::vector<bool> is_dead(ring.members().size());
    for (const auto& id : dead) {
      const Index index = ring.index_of(id);
      if (index == static_cast<Index>(~Index{0})) {
        const auto text = detail::id_of(id);
        detail::fail_not_a_member("available", text);
      }
      is_dead[index] = true;
    }
    Width readable;
    Width writable;
    const auto visit = [&](std::size_t rank, const auto& nodes) {
      std::size_t live = 0;
      for (const std::uint32_t node : nodes) {
        if (!is_dead[node]) ++live;
      }
      const Width width = detail::arc_at(ring.positions(), rank).width();
      if (live >= r) readable += width;
      if (live >= w) writable += width;
    };
    detail::for_each_replica_set(ring, detail::Topology::of(ring.members()), replication, visit);
    return {readable.fraction(), writable.fraction()};
  }
};

}  // namespace clockwise

#endif  // CLOCKWISE_QUORUM_HPP
