// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_WALK_HPP
#define CLOCKWISE_DETAIL_RING_WALK_HPP

// The walk behind every preference list: clockwise from a key, taking owners until the quotas are
// used up.
//
// A quota knows how many nodes it can get, so the walk ends with the last and never circles in
// search of more.

#include <algorithm>  // min
#include <array>      // array
#include <cstddef>    // ptrdiff_t, size_t
#include <cstdint>    // uint32_t

#include "clockwise/detail/base/plain_vector.hpp"
#include "clockwise/detail/base/small_set.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/replication.hpp"

namespace clockwise::detail {

/// Returns how many of `replicas` nodes a list can hold.
inline std::size_t attainable(std::size_t replicas, Spread spread, const Topology::Extent& extent) {
  return (std::min)(replicas, spread == Spread::racks_only ? extent.domains : extent.nodes);
}

/// Returns how often a list can take a node from a failure domain that it already has a node from.
inline std::size_t most_repeats(std::size_t replicas, Spread spread,
                                const Topology::Extent& extent) {
  return spread == Spread::racks && replicas > extent.domains ? replicas - extent.domains : 0;
}

/// How many replicas of a key one failure domain holds.
struct DomainBounds {
  std::size_t fewest;
  std::size_t most;
};

/// Returns the bounds of a domain of `nodes` nodes in a group with `extent`.
inline DomainBounds domain_bounds(std::size_t replicas, Spread spread,
                                  const Topology::Extent& extent, std::size_t nodes) {
  return {replicas >= extent.domains ? std::size_t{1} : std::size_t{0},
          (std::min)(nodes, 1 + detail::most_repeats(replicas, spread, extent))};
}

/// How many nodes of one group of members a list can still take, and from which failure domains.
class Quota {
 public:
  Quota() = default;
  /// For `replicas` nodes of a group of which a walk can meet `extent`. Domain and node numbers
  /// must be below `domain_limit`.
  Quota(std::size_t replicas, Spread spread, const Topology::Extent& extent,
        std::size_t domain_limit)
      : left_(detail::attainable(replicas, spread, extent)),
        repeats_(detail::most_repeats(replicas, spread, extent)),
        domains_(left_, domain_limit),
        nodes_(repeats_ > 0 ? left_ : 0, domain_limit) {}

  std::size_t left() const { return left_; }

  /// Returns whether the walk takes `node`, in `domain`. accept() is called last, only for a node
  /// that the quota allows, and can still refuse it.
  template <class Accept>
  bool take(std::uint32_t node, std::uint32_t domain, const Accept& accept) {
    if (left_ == 0) return false;
    const bool repeats = domains_.contains(domain);
    if (repeats && (repeats_left_ == 0 || nodes_.contains(node))) return false;
    if (!accept()) return false;
    if (repeats) {
      --repeats_left_;
    } else {
      domains_.insert(domain);
    }
    if (repeats_ > 0) nodes_.insert(node);
    --left_;
    return true;
  }

 private:
  std::size_t left_ = 0;
  std::size_t repeats_ = 0;
  std::size_t repeats_left_ = repeats_;
  SmallSet domains_;
  SmallSet nodes_;  // the nodes taken; kept only if a domain can repeat
};

/// Replicas among all members.
struct OneGroup {
  std::size_t replicas;
  Spread spread;

  std::size_t groups() const { return 1; }
  std::size_t requested() const { return replicas; }
  std::size_t requested(std::size_t) const { return replicas; }
  const Topology::Extent& extent(const Topology& topology, std::size_t) const {
    return topology.whole();
  }
  /// Returns the group of a member, or groups() if it is in none.
  std::size_t group_of(const Topology&, std::size_t) const { return 0; }
};

/// A number of replicas in each of several datacenters, whose names are looked up once. No heap
/// memory for up to 8 datacenters.
class ByDatacenter {
 public:
  static constexpr Spread spread = Spread::racks;

  /// Refers to `wanted`; every later query about a topology must be about this one.
  ByDatacenter(const DatacenterReplicas& wanted, const Topology& topology)
      : wanted_(wanted), many_(groups() > few_.size() ? groups() : 0) {
    std::uint32_t* number = many_.empty() ? few_.data() : many_.data();
    for (const auto& entry : wanted_) *number++ = topology.datacenter_named(entry.datacenter);
  }

  std::size_t groups() const { return wanted_.size(); }
  std::size_t requested() const {
    std::size_t sum = 0;
    for (const auto& entry : wanted_) sum += (std::min)(entry.replicas, ~sum);
    return sum;
  }
  std::size_t requested(std::size_t group) const {
    return wanted_.begin()[static_cast<std::ptrdiff_t>(group)].replicas;
  }
  Topology::Extent extent(const Topology& topology, std::size_t group) const {
    const std::uint32_t datacenter = datacenters()[group];
    return datacenter == Topology::none ? Topology::Extent{} : topology.extent(datacenter);
  }
  std::size_t group_of(const Topology& topology, std::size_t member) const {
    const std::uint32_t datacenter = topology.datacenter(member);
    std::size_t group = 0;
    while (group < groups() && datacenters()[group] != datacenter) ++group;
    return group;
  }

 private:
  /// By group; Topology::none if no member names the datacenter.
  const std::uint32_t* datacenters() const { return many_.empty() ? few_.data() : many_.data(); }

  const DatacenterReplicas& wanted_;
  std::array<std::uint32_t, 8> few_;  // if `many_` is empty
  PlainVector<std::uint32_t> many_;
};

/// Calls use(request) with the OneGroup or ByDatacenter of `replication`. `spread` is the default
/// if it names none. Both arguments must outlive the request.
template <class Use>
decltype(auto) for_request(const Replication& replication, Spread spread, const Topology& topology,
                           Use use) {
  if (const DatacenterReplicas* const wanted = replication.by_datacenter()) {
    return use(ByDatacenter(*wanted, topology));
  }
  return use(OneGroup{replication.requested(), replication.spread().value_or(spread)});
}

/// Calls visit(owner) for the owners clockwise from `rank`, once round at most, until it returns
/// false.
template <class Table, class Visit>
void walk(const Table& table, std::size_t rank, Visit visit) {
  const auto* const owners = table.owners().data();
  const std::size_t size = table.size();
  for (std::size_t steps = size; steps > 0; --steps) {
    if (!visit(owners[rank])) return;
    if (++rank == size) rank = 0;
  }
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_WALK_HPP
