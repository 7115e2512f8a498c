// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_REPLICA_SWEEP_HPP
#define CLOCKWISE_DETAIL_REPLICA_SWEEP_HPP

// The replica sets of all arcs of a ring in one sweep. A walk from each of M positions costs what
// the walks cost, which is M * M where a rack is rare. The sweep goes counter-clockwise instead, so
// that each list comes out of its neighbour's: O(replicas) a position, whatever the ring.

#include <algorithm>  // min
#include <concepts>   // same_as
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t
#include <span>       // span
#include <utility>    // swap
#include <vector>     // vector

#include "clockwise/detail/topology.hpp"
#include "clockwise/detail/walk.hpp"
#include "clockwise/replica_list.hpp"

namespace clockwise::detail {

/// The replicas seen from a point that moves counter-clockwise. A vnode that comes into view is the
/// nearest of all, so it becomes the first of its failure domain and puts that domain in front:
///
///   clockwise:   A/r1  B/r2  A/r1  C/r2       from B: B (r2), A (r1)
///                                             from A: A (r1), B (r2)
///
/// Where domains may repeat, the list is the first node of each domain and the nearest others.
class ReplicaWindow {
 public:
  /// `nodes`: all node numbers are below it.
  ReplicaWindow(std::size_t replicas, Spread spread, const Topology::Extent& extent,
                std::size_t nodes)
      : left_(attainable(replicas, spread, extent)),
        most_domains_(spread == Spread::racks ? (std::min)(left_, extent.domains) : left_),
        firsts_(most_domains_),
        nodes_(left_) {
    if (may_repeat()) {
      links_.resize(nodes + 1, Links{outside, outside});
      links_.back() = {ends(), ends()};
    }
  }

  /// The vnode before all those seen so far.
  void see(std::uint32_t node, std::uint32_t domain) {
    First coming{domain, node};
    std::size_t place = 0;
    for (; place < size_; ++place) {  // each moves one back, up to where this domain was
      std::swap(coming, firsts_[place]);
      if (coming.domain == domain) break;
    }
    if (place == size_ && size_ < most_domains_) firsts_[size_++] = coming;
    if (may_repeat()) move_to_front(node);
  }

  /// Whether the list is as long as it can get.
  bool full() const { return size_ == most_domains_ && (!may_repeat() || linked_ >= left_); }

  /// The list in order of preference, once it is full.
  std::span<const std::uint32_t> replicas() {
    std::size_t place = 0;
    std::size_t first = 0;
    if (may_repeat()) {
      // Both orders are by distance, so the firsts come by in theirs.
      const std::size_t repeats = left_ - most_domains_;
      for (auto node = links_.back().next; place - first < repeats; node = links_[node].next) {
        if (first < size_ && firsts_[first].node == node) ++first;
        nodes_[place++] = node;
      }
    }
    for (; first < size_; ++first) nodes_[place++] = firsts_[first].node;
    return nodes_;
  }

 private:
  struct First {
    std::uint32_t domain;
    std::uint32_t node;
  };
  struct Links {
    std::uint32_t previous;
    std::uint32_t next;
  };
  static constexpr std::uint32_t outside = 0xffffffff;

  bool may_repeat() const { return left_ > most_domains_; }
  /// The entry before the first and after the last.
  std::uint32_t ends() const { return static_cast<std::uint32_t>(links_.size() - 1); }

  void move_to_front(std::uint32_t node) {
    Links& own = links_[node];
    if (own.next == outside) {
      ++linked_;
    } else {
      links_[own.previous].next = own.next;
      links_[own.next].previous = own.previous;
    }
    own = {ends(), links_.back().next};
    links_[own.next].previous = node;
    links_.back().next = node;
  }

  std::size_t left_;           // replicas in a full list,
  std::size_t most_domains_;   // of which so many are the first of their domain
  std::size_t size_ = 0;       // domains met so far
  std::vector<First> firsts_;  // the first node of each, the nearest domain first
  std::vector<std::uint32_t> nodes_;
  std::vector<Links> links_;  // where domains repeat: all nodes seen, the nearest first
  std::size_t linked_ = 0;
};

/// Calls visit(rank, nodes) for each arc that is not empty, counter-clockwise, with the numbers of
/// the nodes that hold its keys, in order of preference within each group of the request. Every
/// call gives the same number of nodes. O(M) steps of O(replicas).
template <class Ring, class Request, class Visit>
void for_each_replica_set(const Ring& ring, const Request& request, Visit visit) {
  const auto& topology = ring.topology();
  const auto positions = ring.positions();
  const auto owners = ring.owners();
  if (positions.empty()) return;

  std::vector<ReplicaWindow> windows;
  windows.reserve(request.groups());
  for (std::size_t group = 0; group < request.groups(); ++group) {
    windows.emplace_back(request.requested(group), request.spread, request.extent(topology, group),
                         ring.size());
  }
  constexpr bool one_group = std::same_as<Request, OneGroup>;
  std::vector<std::size_t> group_of(one_group ? 0 : ring.size());
  for (std::size_t node = 0; node < group_of.size(); ++node) {
    group_of[node] = request.group_of(topology, node);
  }
  const bool apart = request.spread != Spread::nodes;
  const auto see = [&](std::size_t rank) {
    const auto node = static_cast<std::uint32_t>(owners[rank]);
    const std::size_t group = one_group ? 0 : group_of[node];
    if (group < windows.size()) windows[group].see(node, apart ? topology.domain(node) : node);
  };
  const auto full = [&] {
    for (const ReplicaWindow& window : windows) {
      if (!window.full()) return false;
    }
    return true;
  };

  // What lies ahead of the last position: the beginning of the circle, as much as it takes. All of
  // it fills every window.
  for (std::size_t ahead = 64; !full(); ahead *= 2) {
    for (std::size_t rank = (std::min)(ahead, positions.size()); rank-- > 0;) see(rank);
  }

  std::vector<std::uint32_t> nodes;
  for (std::size_t rank = positions.size(); rank-- > 0;) {
    see(rank);
    if (rank > 0 && positions[rank] == positions[rank - 1]) continue;
    if constexpr (one_group) {
      visit(rank, windows.front().replicas());
    } else {
      nodes.clear();
      for (ReplicaWindow& window : windows) {
        const auto replicas = window.replicas();
        nodes.insert(nodes.end(), replicas.begin(), replicas.end());
      }
      visit(rank, std::span<const std::uint32_t>(nodes));
    }
  }
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_REPLICA_SWEEP_HPP
