// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_BALANCE_HPP
#define CLOCKWISE_BALANCE_HPP

// Measures exactly how even a placement is. theory.hpp has what to expect.

#include <algorithm>  // max_element
#include <cmath>      // sqrt
#include <cstddef>    // size_t
#include <vector>     // vector

#include "clockwise/concepts.hpp"

namespace clockwise {

/// Ratios of shares to fair shares. A member's fair share is its weight over the sum of weights,
/// 1/n if all are equal. Drained members are left out. All zeros if no member owns anything.
struct Balance {
  double mean = 0;          ///< The mean share: 1/n for n members that are not drained.
  double cv = 0;            ///< Coefficient of variation: how far share/fair varies from 1.
  double peak_to_mean = 0;  ///< The largest share/fair: that of the hottest member.
  double min_to_mean = 0;   ///< The smallest share/fair.
};

/// Measures a placement. O(M + N) for a ring; otherwise the cost of load_shares.
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
