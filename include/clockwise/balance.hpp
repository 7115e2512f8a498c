// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_BALANCE_HPP
#define CLOCKWISE_BALANCE_HPP

// Measures exactly how even a placement is. theory.hpp has the expected values.

#include <algorithm>  // max_element
#include <cmath>      // sqrt
#include <cstddef>    // size_t
#include <vector>     // vector

#include "clockwise/arc.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/detail/ring/fair_share.hpp"
#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// Ratios of shares to fair shares. A member's fair share of the keys is its weight over the sum of
/// weights, 1/n if all are equal. Drained members are left out. All zeros if no member owns
/// anything.
struct Balance {
  double mean = 0;          ///< The mean share of the n members: 1/n, of R replicas R/n.
  double cv = 0;            ///< Coefficient of variation: how far share/fair varies from 1.
  double peak_to_mean = 0;  ///< The largest share/fair, of the hottest member.
  double min_to_mean = 0;   ///< The smallest share/fair.
};

namespace detail {

/// `total`: the sum of the shares. Leaves out the members whose fair share is 0.
inline Balance measured(const std::vector<double>& shares, const std::vector<double>& fair,
                        double total) {
  Balance result;
  double members = 0;
  double squares = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!(fair[i] > 0)) continue;
    const double ratio = shares[i] / fair[i];
    squares += (ratio - 1) * (ratio - 1);
    if (members == 0 || ratio > result.peak_to_mean) result.peak_to_mean = ratio;
    if (members == 0 || ratio < result.min_to_mean) result.min_to_mean = ratio;
    ++members;
  }
  if (members == 0 || result.peak_to_mean == 0) return {};
  result.mean = total / members;
  result.cv = std::sqrt(squares / members);
  return result;
}

}  // namespace detail

/// Measures the shares of keys. O(M + N) for a ring; otherwise the cost of load_shares.
template <Placement P>
Balance balance(const P& placement) {
  const auto by_node = placement.load_shares();
  std::vector<double> weights(by_node.size(), 1.0);
  if constexpr (requires { placement.members()[0].weight; }) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = placement.members()[i].weight;
  }
  const double largest = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
  double total_weight = 0;
  for (double& weight : weights) {
    if (largest > 0) weight /= largest;  // so that no sum of weights is too large for a double
    total_weight += weight;
  }
  std::vector<double> shares;
  std::vector<double> fair;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    shares.push_back(by_node[i].second);
    fair.push_back(total_weight > 0 ? weights[i] / total_weight : 0);
  }
  return detail::measured(shares, fair, 1);
}

/// Measures the shares of replicas: of all stored data, regardless of which replica is read. Fair
/// shares are proportional to weight as far as the replication allows. No node can hold two
/// replicas of a key, and a rack holds at most what the rule allows and at least what it demands;
/// the excess is divided among the others in proportion. With 3 replicas in 3 racks, each rack
/// holds one replica of each key, at any weight, and a node its part of the rack's by weight.
/// Members of datacenters without replicas are left out too. O(M R + N) for R replicas.
template <Ring R>
Balance balance(const R& ring, const Replication& replication) {
  const detail::Topology topology = detail::Topology::of(ring.members());
  std::vector<double> shares;
  for (const Width& width : detail::replica_widths(ring, topology, replication)) {
    shares.push_back(width.fraction());
  }
  return detail::measured(shares, detail::fair_shares(ring, topology, replication),
                          static_cast<double>(detail::list_size(ring, topology, replication)));
}

}  // namespace clockwise

#endif  // CLOCKWISE_BALANCE_HPP
