// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_BALANCE_HPP
#define CLOCKWISE_BALANCE_HPP

// How even a placement is, measured exactly on the placement itself. What to expect is in
// theory.hpp.

#include <algorithm>  // max_element
#include <cmath>      // sqrt
#include <cstddef>    // size_t
#include <vector>     // vector

#include "clockwise/concepts.hpp"

namespace clockwise {

/// Shares beside fair shares: a member's fair share is its weight over the sum of weights, 1/n
/// where all weigh the same. Drained members have none and are left out. All zeros where nobody
/// owns anything. No unit: ratios.
struct Balance {
  double mean = 0;          ///< The mean share: 1/n for n members that are not drained.
  double cv = 0;            ///< Coefficient of variation: how far share/fair strays from 1.
  double peak_to_mean = 0;  ///< The largest share/fair: how hot the hottest member runs.
  double min_to_mean = 0;   ///< The smallest.
};

/// O(M + N) for a ring; otherwise what load_shares costs.
template <Placement P>
Balance balance(const P& placement) {
  const auto shares = placement.load_shares();
  std::vector<double> weights(shares.size(), 1.0);
  if constexpr (requires { placement.members()[0].weight; }) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = placement.members()[i].weight;
  }
  const double largest = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
  double total_weight = 0;
  double members = 0;
  for (double& weight : weights) {
    if (largest > 0) weight /= largest;  // so that no sum of weights is too large for a double
    total_weight += weight;
    members += weight > 0 ? 1 : 0;
  }
  Balance result;
  if (members == 0) return result;

  result.mean = 1 / members;
  result.min_to_mean = members;
  double squares = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const double ratio = shares[i].second / (weights[i] / total_weight);
    squares += (ratio - 1) * (ratio - 1);
    if (ratio > result.peak_to_mean) result.peak_to_mean = ratio;
    if (ratio < result.min_to_mean) result.min_to_mean = ratio;
  }
  result.cv = std::sqrt(squares / members);
  return result;
}

}  // namespace clockwise

#endif  // CLOCKWISE_BALANCE_HPP
