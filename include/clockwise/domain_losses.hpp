// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DOMAIN_LOSSES_HPP
#define CLOCKWISE_DOMAIN_LOSSES_HPP

// The data lost with a rack or a datacenter.
//
//   clockwise::rack_losses(ring, 3).probability();    // that the loss of a random rack loses data

#include <algorithm>  // max
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t
#include <string>     // string
#include <utility>    // move
#include <vector>     // vector

#include "clockwise/arc.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// The loss of one rack or datacenter.
struct DomainLoss {
  std::string datacenter;
  std::string rack;       ///< Empty for a whole datacenter.
  std::size_t nodes = 0;  ///< Its members, including drained ones.
  double lost = 0;        ///< The share of the key space with all replicas in it.
};

struct DomainLosses {
  std::vector<DomainLoss> domains;  ///< In order of datacenter, then rack, byte by byte.

  /// Probability that losing a random domain loses data: the share of domains that hold all
  /// replicas of a key.
  double probability() const {
    double losing = 0;
    for (const DomainLoss& domain : domains) losing += domain.lost > 0 ? 1 : 0;
    return domains.empty() ? 0 : losing / static_cast<double>(domains.size());
  }
  /// The largest share of the key space lost with one domain.
  double worst() const {
    double worst = 0;
    for (const DomainLoss& domain : domains) worst = (std::max)(worst, domain.lost);
    return worst;
  }
};

namespace detail {

/// `domain_of(i)`: the index in `domains` of member i's domain, or past the end if it is in none.
template <class R, class DomainOf>
DomainLosses domain_losses(const R& ring, const Topology& topology, const Replication& replication,
                           std::vector<DomainLoss> domains, DomainOf domain_of) {
  std::vector<Width> widths(domains.size());
  for (std::size_t i = 0; i < ring.members().size(); ++i) {
    if (domain_of(i) < domains.size()) ++domains[domain_of(i)].nodes;
  }
  const auto visit = [&](std::size_t rank, const auto& nodes) {
    if (nodes.empty()) return;
    const std::size_t domain = domain_of(nodes.front());
    bool all = domain < domains.size();
    for (const std::uint32_t node : nodes) all = all && domain_of(node) == domain;
    if (all) widths[domain] += detail::arc_at(ring.positions(), rank).width();
  };
  detail::for_each_replica_set(ring, topology, replication, visit);
  for (std::size_t i = 0; i < domains.size(); ++i) domains[i].lost = widths[i].fraction();
  return {std::move(domains)};
}

}  // namespace detail

/// Returns the loss of each rack. Members without a rack are left out. O(R M + N) for R replicas, M
/// positions and N members.
template <Ring R>
DomainLosses rack_losses(const R& ring, const Replication& replication) {
  const detail::Topology topology = detail::Topology::of(ring.members());
  std::vector<DomainLoss> racks;
  for (std::size_t i = 0; i < ring.members().size(); ++i) {
    const auto& member = ring.members()[i];
    if (member.rack.empty()) continue;
    const std::size_t number = topology.domain(i);  // by name; members without a rack come after
    if (number >= racks.size()) racks.resize(number + 1);
    racks[number].datacenter = member.datacenter;
    racks[number].rack = member.rack;
  }
  return detail::domain_losses(ring, topology, replication, std::move(racks),
                               [&](std::size_t i) { return topology.domain(i); });
}

/// Returns the loss of each datacenter; members without one count as one datacenter. O(R M + N).
template <Ring R>
DomainLosses datacenter_losses(const R& ring, const Replication& replication) {
  const detail::Topology topology = detail::Topology::of(ring.members());
  std::vector<DomainLoss> datacenters;
  for (const auto& member : ring.members()) {
    const std::size_t number = topology.datacenter_named(member.datacenter);
    if (number >= datacenters.size()) datacenters.resize(number + 1);
    datacenters[number].datacenter = member.datacenter;
  }
  return detail::domain_losses(ring, topology, replication, std::move(datacenters),
                               [&](std::size_t i) { return topology.datacenter(i); });
}

}  // namespace clockwise

#endif  // CLOCKWISE_DOMAIN_LOSSES_HPP
