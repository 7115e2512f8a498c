// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_REPLICA_SWEEP_HPP
#define CLOCKWISE_DETAIL_RING_REPLICA_SWEEP_HPP

// The replica sets of all arcs of a ring in one sweep. A walk from each of M positions costs M * M
// steps if a rack is rare. The sweep goes counter-clockwise instead and derives each list from its
// neighbour's: O(replicas) per position, for any ring.

#include <algorithm>  // all_of, min, sort
#include <array>      // array
#include <concepts>   // same_as
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t, uint64_t
#include <span>       // dynamic_extent, span
#include <utility>    // index_sequence, make_index_sequence, swap
#include <vector>     // vector

#include "clockwise/arc.hpp"
#include "clockwise/detail/base/plain_vector.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/detail/ring/walk.hpp"
#include "clockwise/replication.hpp"

namespace clockwise::detail {

/// A failure domain in a window: its nearest node. One number, because compilers keep an array of
/// numbers in registers, but an array of structures in memory.
class FirstOfDomain {
 public:
  FirstOfDomain() = default;
  FirstOfDomain(std::uint32_t node, std::uint32_t domain)
      : bits_(std::uint64_t{domain} << 32 | node) {}

  std::uint32_t node() const { return static_cast<std::uint32_t>(bits_); }
  std::uint32_t domain() const { return static_cast<std::uint32_t>(bits_ >> 32); }
  bool is_set() const { return bits_ != unset; }

 private:
  static constexpr std::uint64_t unset = 0xffffffffffffffff;
  std::uint64_t bits_ = unset;
};

/// The replicas seen from a point that moves counter-clockwise. A vnode that comes into view is the
/// nearest of all, so it becomes the first of its failure domain and moves the domain to the front
/// of the list:
///
///   clockwise:   A/r1  B/r2  A/r1  C/r2       from B: B (r2), A (r1)
///                                             from A: A (r1), B (r2)
///
/// If domains can repeat, the list is the first node of each domain and the nearest others.
class ReplicaWindow {
 public:
  /// All node numbers must be below `nodes`.
  ReplicaWindow(std::size_t replicas, Spread spread, const Topology::Extent& extent,
                std::size_t nodes)
      : left_(detail::attainable(replicas, spread, extent)),
        firsts_(spread == Spread::racks ? (std::min)(left_, extent.domains) : left_,
                FirstOfDomain()),
        nodes_(left_) {
    if (may_repeat()) {
      links_ = PlainVector<Links>(nodes + 1, Links{outside, outside});
      links_.back() = {ends(), ends()};
    }
  }

  /// Whether a list has `replicas` nodes, each in its own domain.
  bool is_of_domains(std::size_t replicas) const {
    return left_ == replicas && firsts_.size() == replicas;
  }

  /// Adds the vnode before all vnodes seen so far.
  void see(std::uint32_t node, std::uint32_t domain) {
    FirstOfDomain coming(node, domain);
    for (FirstOfDomain& first : firsts_) {  // each moves one back, up to this domain's old place
      std::swap(coming, first);
      if (coming.domain() == domain) break;
    }
    if (may_repeat()) move_to_front(node);
  }

  /// Whether the list has its full length.
  bool full() const {
    return firsts_.empty() || (firsts_.back().is_set() && (!may_repeat() || linked_ >= left_));
  }

  /// Returns the list in order of preference, once it is full.
  std::span<const std::uint32_t> replicas() {
    std::size_t place = 0;
    std::size_t first = 0;
    if (may_repeat()) {
      // Both lists are in order of distance, so firsts_ is met in its order.
      const std::size_t repeats = left_ - firsts_.size();
      for (auto node = links_.back().next; place - first < repeats; node = links_[node].next) {
        if (first < firsts_.size() && firsts_[first].node() == node) ++first;
        nodes_[place++] = node;
      }
    }
    for (; first < firsts_.size(); ++first) nodes_[place++] = firsts_[first].node();
    return {nodes_.data(), nodes_.size()};
  }

 private:
  struct Links {
    std::uint32_t previous;
    std::uint32_t next;
  };
  static constexpr std::uint32_t outside = 0xffffffff;

  bool may_repeat() const { return left_ > firsts_.size(); }
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

  std::size_t left_;                   // replicas in a full list
  PlainVector<FirstOfDomain> firsts_;  // the nearest domain first
  PlainVector<std::uint32_t> nodes_;
  PlainVector<Links> links_;  // if domains repeat: all nodes seen, the nearest first
  std::size_t linked_ = 0;
};

/// As above, for lists of `count` nodes, each in its own domain. Unrolled: a quarter of the time.
template <std::size_t count>
class DomainWindow {
 public:
  void see(std::uint32_t node, std::uint32_t domain) {
    FirstOfDomain coming(node, domain);
    const auto was_here = [&](FirstOfDomain& first) {
      std::swap(coming, first);
      return coming.domain() == domain;
    };
    [&]<std::size_t... place>(std::index_sequence<place...>) {
      static_cast<void>((was_here(firsts_[place]) || ...));
    }(std::make_index_sequence<count>());
  }
  bool full() const { return firsts_.back().is_set(); }
  std::array<std::uint32_t, count> replicas() const {
    std::array<std::uint32_t, count> nodes;
    for (std::size_t i = 0; i < count; ++i) nodes[i] = firsts_[i].node();
    return nodes;
  }

 private:
  std::array<FirstOfDomain, count> firsts_;
};

/// Calls see(rank) for every rank, counter-clockwise, then visit(rank) if the arc is not empty.
/// Before that it sees the vnodes after the last position: the start of the circle, as far as
/// needed until full().
template <class See, class Full, class Visit>
void sweep(std::span<const std::uint64_t> positions, See see, Full full, Visit visit) {
  for (std::size_t ahead = 64; !full(); ahead *= 2) {
    for (std::size_t rank = (std::min)(ahead, positions.size()); rank-- > 0;) see(rank);
  }
  for (std::size_t rank = positions.size(); rank-- > 0;) {
    see(rank);
    if (rank == 0 || positions[rank] != positions[rank - 1]) visit(rank);
  }
}

/// The guarantee of a sweep about the nodes of each list.
enum class Sweep : unsigned char {
  sets,   ///< The nodes of the list, in any order.
  lists,  ///< Also their order, which is more work with several datacenters.
};

/// Calls visit(rank, nodes) for the lists of a request. The ring must have positions.
template <Sweep kind, class Ring, class Request, class Visit>
void sweep_request(const Ring& ring, const Topology& topology, const Request& request,
                   Visit visit) {
  const std::span<const std::uint64_t> positions = ring.positions();
  const std::span<const typename Ring::index_type> owners = ring.owners();
  const std::size_t members = ring.members().size();
  const bool apart = request.spread != Spread::nodes;
  const auto domain_of = [&](std::uint32_t node) { return apart ? topology.domain(node) : node; };
  const auto window_of = [&](std::size_t group) {
    return ReplicaWindow(request.requested(group), request.spread, request.extent(topology, group),
                         members);
  };

  if constexpr (std::same_as<Request, OneGroup>) {
    const auto through = [&](auto window) {
      detail::sweep(
          positions,
          [&](std::size_t rank) {
            const auto node = static_cast<std::uint32_t>(owners[rank]);
            window.see(node, domain_of(node));
          },
          [&] { return window.full(); },
          [&](std::size_t rank) {
            const auto nodes = window.replicas();
            visit(rank, std::span(nodes));
          });
    };
    const ReplicaWindow window = window_of(0);
    if (window.is_of_domains(2)) return through(DomainWindow<2>());
    if (window.is_of_domains(3)) return through(DomainWindow<3>());
    through(window);
  } else {
    std::vector<ReplicaWindow> windows;
    for (std::size_t group = 0; group < request.groups(); ++group) {
      windows.push_back(window_of(group));
    }
    std::vector<std::size_t> group_of(members);
    for (std::size_t node = 0; node < group_of.size(); ++node) {
      group_of[node] = request.group_of(topology, node);
    }
    std::vector<std::uint32_t> nodes;
    [[maybe_unused]] std::vector<std::uint64_t> seen_at;  // the nearest node is the last seen
    [[maybe_unused]] std::uint64_t seen = 0;
    if constexpr (kind == Sweep::lists) seen_at.resize(members);
    detail::sweep(
        positions,
        [&](std::size_t rank) {
          const auto node = static_cast<std::uint32_t>(owners[rank]);
          const std::size_t group = group_of[node];
          if (group < windows.size()) windows[group].see(node, domain_of(node));
          if constexpr (kind == Sweep::lists) seen_at[node] = ++seen;
        },
        [&] {
          return std::all_of(windows.begin(), windows.end(),
                             [](const ReplicaWindow& window) { return window.full(); });
        },
        [&](std::size_t rank) {
          nodes.clear();
          for (ReplicaWindow& window : windows) {
            const auto replicas = window.replicas();
            nodes.insert(nodes.end(), replicas.begin(), replicas.end());
          }
          if constexpr (kind == Sweep::lists) {
            std::sort(nodes.begin(), nodes.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return seen_at[a] > seen_at[b]; });
          }
          visit(rank, std::span<const std::uint32_t>(nodes));
        });
  }
}

/// Returns the spread of the ring's lists if none is given.
template <class Ring>
Spread default_spread_of(const Ring& ring, const Topology& topology) {
  if constexpr (requires { ring.default_spread(); }) {
    return ring.default_spread();
  } else {
    return topology.has_racks() ? Spread::racks : Spread::nodes;
  }
}

/// Returns the length of every list of a ring with this topology: how many replicas it can provide.
template <class Ring>
std::size_t list_size(const Ring& ring, const Topology& topology, const Replication& replication) {
  return detail::for_request(
      replication, detail::default_spread_of(ring, topology), topology, [&](const auto& request) {
        std::size_t size = 0;
        for (std::size_t group = 0; group < request.groups(); ++group) {
          size += detail::attainable(request.requested(group), request.spread,
                                     request.extent(topology, group));
        }
        return size;
      });
}

template <Sweep kind, class Ring, class Visit>
void sweep_ring(const Ring& ring, const Topology& topology, const Replication& replication,
                Visit visit) {
  if (ring.positions().empty()) return;
  detail::for_request(
      replication, detail::default_spread_of(ring, topology), topology,
      [&](const auto& request) { detail::sweep_request<kind>(ring, topology, request, visit); });
}

/// Calls visit(rank, nodes) for each arc that is not empty, counter-clockwise, with the indices of
/// the nodes that hold its keys: list_size() of them at every call. `topology` must be of the
/// ring's members. O(M) steps of O(replicas).
template <class Ring, class Visit>
void for_each_replica_set(const Ring& ring, const Topology& topology,
                          const Replication& replication, Visit visit) {
  detail::sweep_ring<Sweep::sets>(ring, topology, replication, visit);
}

/// As above, with the nodes in the order of the arc's preference list.
template <class Ring, class Visit>
void for_each_replica_list(const Ring& ring, const Topology& topology,
                           const Replication& replication, Visit visit) {
  detail::sweep_ring<Sweep::lists>(ring, topology, replication, visit);
}

/// Returns of how much of the circle each member holds a replica, by its index. The widths sum to
/// list_size() circles.
template <class Ring>
std::vector<Width> replica_widths(const Ring& ring, const Topology& topology,
                                  const Replication& replication) {
  std::vector<Width> widths(ring.members().size());
  const auto visit = [&](std::size_t rank, const auto& nodes) {
    const Width width = detail::arc_at(ring.positions(), rank).width();
    for (const std::uint32_t node : nodes) widths[node] += width;
  };
  detail::for_each_replica_set(ring, topology, replication, visit);
  return widths;
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_REPLICA_SWEEP_HPP
