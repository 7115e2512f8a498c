// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_FAIR_SHARE_HPP
#define CLOCKWISE_DETAIL_RING_FAIR_SHARE_HPP

// Each member's share of the replicas if placement were even: proportional to its weight, as far as
// the rule for replicas allows.
//
// No node holds two replicas of a key, and a rack holds at most what the rule allows and at least
// what it demands. The excess is divided among the others in proportion, like water poured into
// vessels in racks, each as wide as its node's weight and one replica high. With R = 3 over 3 racks
// each rack holds one replica of every key, at any weight.

#include <algorithm>  // max, min
#include <bit>        // bit_cast
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t, uint64_t
#include <map>        // map
#include <vector>     // vector

#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/detail/ring/walk.hpp"
#include "clockwise/replication.hpp"

namespace clockwise::detail {

/// Returns the level at which amount_at(level), which rises with it, reaches `amount`; the highest
/// double if it never does.
template <class AmountAt>
double level_of(double amount, AmountAt amount_at) {
  // Positive doubles are in the order of their bits.
  std::uint64_t low = 0;
  std::uint64_t high = 0x7fefffffffffffff;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (amount_at(std::bit_cast<double>(middle)) < amount) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::bit_cast<double>(low);
}

/// Divides the replicas of one group of members.
class FairShares {
 public:
  /// For `replicas` of each key, spread by `spread`.
  FairShares(std::size_t replicas, Spread spread) : replicas_(replicas), spread_(spread) {}

  /// Adds a member of `weight`, above 0. With Spread::nodes each member has its own domain.
  void add(std::size_t member, double weight, std::uint32_t domain) {
    domains_[domain].push_back({member, weight});
    ++nodes_;
  }

  /// Sets shares[member] of each member that was added.
  void divide(std::vector<double>& shares) const {
    const Topology::Extent extent{nodes_, domains_.size()};
    const auto total = static_cast<double>(detail::attainable(replicas_, spread_, extent));
    const auto bounded = [&](const std::vector<Vessel>& domain, double level) {
      const DomainBounds bounds = detail::domain_bounds(replicas_, spread_, extent, domain.size());
      return (std::min)((std::max)(poured(domain, level), static_cast<double>(bounds.fewest)),
                        static_cast<double>(bounds.most));
    };
    const double level = detail::level_of(total, [&](double tried) {
      double sum = 0;
      for (const auto& [number, domain] : domains_) sum += bounded(domain, tried);
      return sum;
    });
    for (const auto& [number, domain] : domains_) {
      pour(domain, bounded(domain, level), level, shares);
    }
  }

 private:
  struct Vessel {
    std::size_t member;
    double weight;

    double at(double level) const { return (std::min)(weight * level, 1.0); }
  };

  /// Divides `amount`: the amount in the domain at `level`, or a bound of the domain.
  static void pour(const std::vector<Vessel>& domain, double amount, double level,
                   std::vector<double>& shares) {
    if (poured(domain, level) != amount) {
      level = detail::level_of(amount, [&](double tried) { return poured(domain, tried); });
    }
    for (const Vessel& vessel : domain) shares[vessel.member] = vessel.at(level);
  }
  static double poured(const std::vector<Vessel>& domain, double level) {
    double sum = 0;
    for (const Vessel& vessel : domain) sum += vessel.at(level);
    return sum;
  }

  std::size_t replicas_;
  Spread spread_;
  std::size_t nodes_ = 0;
  std::map<std::uint32_t, std::vector<Vessel>> domains_;
};

/// Returns each member's fair share, by its index: the part of the circle that it should hold a
/// replica of. 0 for drained members, and for members of datacenters without replicas.
template <class Ring>
std::vector<double> fair_shares(const Ring& ring, const Topology& topology,
                                const Replication& replication) {
  const auto& members = ring.members();
  std::vector<double> shares(members.size());
  double largest = 0;
  for (const auto& member : members) largest = (std::max)(largest, member.weight);
  const auto divide = [&](const auto& request) {
    std::vector<FairShares> groups;
    for (std::size_t group = 0; group < request.groups(); ++group) {
      groups.emplace_back(request.requested(group), request.spread);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::size_t group = request.group_of(topology, i);
      if (group == groups.size() || !(members[i].weight > 0)) continue;
      const auto number = static_cast<std::uint32_t>(i);
      // In units of the largest, so no sum of weights is too large for a double.
      groups[group].add(i, members[i].weight / largest,
                        request.spread == Spread::nodes ? number : topology.domain(i));
    }
    for (const FairShares& group : groups) group.divide(shares);
  };
  detail::for_request(replication, detail::default_spread_of(ring, topology), topology, divide);
  return shares;
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_FAIR_SHARE_HPP
