// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_RING_DIFF_HPP
#define CLOCKWISE_DETAIL_RING_RING_DIFF_HPP

// The difference of two rings: the one comparison of tables behind movement, plans and transitions.

#include <algorithm>  // any_of, copy, equal, find, max, min, sort
#include <cstddef>    // ptrdiff_t, size_t
#include <cstdint>    // uint32_t, uint64_t
#include <span>       // span
#include <vector>     // vector

#include "clockwise/arc.hpp"
#include "clockwise/detail/ring/matching.hpp"
#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/replication.hpp"

namespace clockwise::detail {

/// Calls visit(Arc, rank in a, rank in b) for the arcs between neighbouring positions of either
/// ring, with the ranks of the arc's owners. Together the arcs are the circle. `a` and `b`, the
/// ascending positions of the rings, must not be empty. Linear in both.
template <class Visit>
void for_each_common_arc(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                         Visit visit) {
  std::uint64_t last = (std::max)(a.back(), b.back());
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const std::uint64_t next = i == a.size() ? b[j] : j == b.size() ? a[i] : (std::min)(a[i], b[j]);
    visit(Arc{last, next}, i == a.size() ? 0 : i, j == b.size() ? 0 : j);
    last = next;
    while (i < a.size() && a[i] == next) ++i;
    while (j < b.size() && b[j] == next) ++j;
  }
}

/// The replica sets of all arcs: `size` indices per rank.
struct ReplicaSetTable {
  std::size_t size = 0;
  std::vector<std::uint32_t> nodes;

  template <class Ring>
  ReplicaSetTable(const Ring& ring, const Replication& replication) {
    if (ring.positions().empty()) return;
    const Topology topology = Topology::of(ring.members());
    size = detail::list_size(ring, topology, replication);
    nodes.resize(size * ring.positions().size());
    const auto copy = [&](std::size_t rank, const auto& set) {
      std::copy(set.begin(), set.end(), nodes.begin() + static_cast<std::ptrdiff_t>(rank * size));
    };
    detail::for_each_replica_set(ring, topology, replication, copy);
  }
  std::span<const std::uint32_t> at(std::size_t rank) const {
    return std::span(nodes).subspan(rank * size, size);
  }
};

/// The change of one copy of an arc. `from` and `holders` are indices into the members of `before`,
/// `to` and `takers` into those of `after`.
struct CopyChange {
  Arc arc;
  std::uint32_t from;                      ///< Loses its copy; no_member: a copy is added.
  std::uint32_t to;                        ///< Gets a copy; no_member: a copy is dropped.
  std::span<const std::uint32_t> holders;  ///< All that hold the arc in `before`,
  std::span<const std::uint32_t> takers;   ///< and in `after`; both ascending.
};

/// Calls visit(CopyChange) for each copy that is added or dropped, arc by arc clockwise. Makes no
/// calls if either ring owns nothing. Returns the number of replicas of each key after the change.
/// Linear in the positions of both.
template <class Before, class After, class Visit>
std::size_t for_each_copy_change(const Before& before, const After& after,
                                 const Replication& replication, Visit visit) {
  const ReplicaSetTable old_sets(before, replication);
  const ReplicaSetTable new_sets(after, replication);
  if (old_sets.size == 0 || new_sets.size == 0) return new_sets.size;
  const auto matches = detail::matched_members(before, after);
  std::vector<std::uint32_t> holders(old_sets.size);
  std::vector<std::uint32_t> takers(new_sets.size);
  const auto sorted = [](std::span<const std::uint32_t> set, std::vector<std::uint32_t>& into) {
    std::copy(set.begin(), set.end(), into.begin());
    std::sort(into.begin(), into.end());
  };
  const auto same = [&](std::uint32_t old_node, std::uint32_t new_node) {
    return matches[old_node] == new_node;
  };
  detail::for_each_common_arc(
      before.positions(), after.positions(),
      [&](const Arc& arc, std::size_t old_rank, std::size_t new_rank) {
        const auto before_set = old_sets.at(old_rank);
        const auto after_set = new_sets.at(new_rank);
        // Most arcs do not change: the lists agree in their order too.
        if (std::equal(before_set.begin(), before_set.end(), after_set.begin(), after_set.end(),
                       same)) {
          return;
        }
        sorted(before_set, holders);
        sorted(after_set, takers);
        CopyChange change{arc, no_member, no_member, holders, takers};
        std::size_t giver = 0;
        const auto next_giver = [&] {  // the next to lose its copy, no_member after the last
          while (giver < holders.size() &&
                 std::find(takers.begin(), takers.end(), matches[holders[giver]]) != takers.end()) {
            ++giver;
          }
          return giver < holders.size() ? holders[giver++] : no_member;
        };
        for (const std::uint32_t taker : takers) {
          if (std::any_of(holders.begin(), holders.end(),
                          [&](std::uint32_t holder) { return same(holder, taker); })) {
            continue;
          }
          change.from = next_giver();
          change.to = taker;
          visit(change);
        }
        change.to = no_member;
        for (change.from = next_giver(); change.from != no_member; change.from = next_giver()) {
          visit(change);
        }
      });
  return new_sets.size;
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_RING_DIFF_HPP
