// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_RELATIVE_WEIGHTS_HPP
#define CLOCKWISE_RELATIVE_WEIGHTS_HPP

// Weights in any unit, such as gigabytes, for rings.
//
//   const double unit = clockwise::mean_weight(disks);                    // once; then store it
//   clockwise::HashRing ring(clockwise::relative_weights(disks, unit));   // of mean weight 1
//
// A member of a ring has weight * vnodes positions, so a disk that weighs 22,000 has 4,400,000 of
// them. Divided by their mean, the weights of ten disks give about 2,000 positions, and shares as
// close to the disks' sizes as 200 vnodes make them. Schemes without positions (Rendezvous,
// SlotMap, Maglev) need no such unit: to them all weights are relative.
//
// The unit is part of the placement, as the vnodes are: with another unit every member has another
// weight, and keys move. So divide the weights of members that join later by the same unit, even if
// it is no longer the mean.

#include <algorithm>         // max, sort
#include <bit>               // bit_cast
#include <cstdint>           // uint64_t
#include <initializer_list>  // initializer_list
#include <limits>            // numeric_limits
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <utility>           // forward, move
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

namespace detail {

/// Returns the entries of a range. Throws std::invalid_argument for a weight that is negative, NaN
/// or infinite.
template <class Node, class Entries>
std::vector<Entry<Node>> checked_entries(Entries& entries) {
  std::vector<Entry<Node>> result;
  for (auto&& entry : entries) {
    Entry<Node>& added = result.emplace_back(std::forward<decltype(entry)>(entry));
    const auto id = detail::id_of(added.node);
    added.options.weight = detail::checked_weight(std::string_view(id), added.options.weight);
  }
  return result;
}

/// Returns the mean of the weights above 0, or 1 if none is above 0; equal for any order.
template <class Node>
double mean_weight_of(const std::vector<Entry<Node>>& entries) {
  std::vector<double> weights;
  for (const Entry<Node>& entry : entries) {
    if (entry.options.weight > 0) weights.push_back(entry.options.weight);
  }
  if (weights.empty()) return 1;
  std::sort(weights.begin(), weights.end());
  const double unit = weights.back() < 0x1p900 ? 1 : 0x1p64;  // exact, and keeps the sum finite
  double sum = 0;
  for (const double weight : weights) sum += weight / unit;
  return sum / static_cast<double>(weights.size()) * unit;
}

/// Divides the weights. A weight above 0 stays above 0.
template <class Node>
std::vector<Entry<Node>> over_unit(std::vector<Entry<Node>> entries, double unit) {
  constexpr std::uint64_t infinity = 0x7ff0000000000000;  // its bits; the bits of -0.0 are above
  const auto bits = std::bit_cast<std::uint64_t>(unit);
  if (bits == 0 || bits >= infinity) {
    fail_invalid("unit must be finite and above 0, got " + std::to_string(unit));
  }
  for (Entry<Node>& entry : entries) {
    double& weight = entry.options.weight;
    if (weight == 0) continue;
    const auto id = detail::id_of(entry.node);
    weight = (std::max)(detail::checked_weight(std::string_view(id), weight / unit),
                        std::numeric_limits<double>::denorm_min());
  }
  return entries;
}

}  // namespace detail

/// Returns the mean weight of the entries, the unit for relative_weights: the same in any order.
/// Drained members, of weight 0, do not count; 1 if all are. Throws std::invalid_argument for a
/// weight that is negative, NaN or infinite. O(N log N).
template <class Entries>
  requires EntryRange<Entries, entry_node_t<Entries>>
double mean_weight(Entries&& entries) {
  return detail::mean_weight_of(detail::checked_entries<entry_node_t<Entries>>(entries));
}
inline double mean_weight(std::initializer_list<Entry<std::string>> entries) {
  return detail::mean_weight_of(detail::checked_entries<std::string>(entries));
}

/// Returns the entries with weights divided by `unit` and otherwise unchanged. Weight 0 stays 0,
/// and no other weight becomes 0. Throws std::invalid_argument unless `unit` is finite and above 0,
/// and for a weight that is negative, NaN or infinite, before or after. O(N).
template <class Entries>
  requires EntryRange<Entries, entry_node_t<Entries>>
std::vector<Entry<entry_node_t<Entries>>> relative_weights(Entries&& entries, double unit) {
  return detail::over_unit(detail::checked_entries<entry_node_t<Entries>>(entries), unit);
}
inline std::vector<Entry<std::string>> relative_weights(
    std::initializer_list<Entry<std::string>> entries, double unit) {
  return detail::over_unit(detail::checked_entries<std::string>(entries), unit);
}

/// As above, with mean_weight(entries) as the unit, so the mean of the weights above 0 is 1. For a
/// fleet whose weights never change; otherwise store the unit. O(N log N).
template <class Entries>
  requires EntryRange<Entries, entry_node_t<Entries>>
std::vector<Entry<entry_node_t<Entries>>> relative_weights(Entries&& entries) {
  auto checked = detail::checked_entries<entry_node_t<Entries>>(entries);
  const double unit = detail::mean_weight_of(checked);
  return detail::over_unit(std::move(checked), unit);
}
inline std::vector<Entry<std::string>> relative_weights(
    std::initializer_list<Entry<std::string>> entries) {
  return relative_weights(std::vector<Entry<std::string>>(entries));
}

}  // namespace clockwise

#endif  // CLOCKWISE_RELATIVE_WEIGHTS_HPP
