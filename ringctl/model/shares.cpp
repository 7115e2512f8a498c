// SPDX-License-Identifier: MIT
#include "model/shares.hpp"

#include <clockwise/theory.hpp>
#include <cmath>

#include "model/own_ring.hpp"

namespace ringctl {

namespace {

namespace theory = clockwise::theory;

template <class AnyRing>
std::vector<NodeShare> node_shares(const AnyRing& ring) {
  double total = 0;
  for (const auto& member : ring.members()) total += member.weight;
  std::vector<NodeShare> nodes;
  nodes.reserve(ring.size());
  const auto shares = ring.load_shares();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto& member = ring.members()[i];
    nodes.push_back(
        {member.node, member.weight, member.vnodes, shares[i].second, member.weight / total});
  }
  return nodes;
}

}  // namespace

ExpectedBalance expected_balance(const std::vector<NodeShare>& nodes) {
  std::uint64_t positions = 0;
  for (const NodeShare& node : nodes) positions += node.vnodes;
  double squares = 0;
  std::uint64_t members = 0;
  std::uint32_t vnodes = 0;
  bool equal = true;
  for (const NodeShare& node : nodes) {
    if (node.vnodes == 0) continue;
    const double mean =
        static_cast<double>(node.vnodes) / static_cast<double>(positions) / node.fair;
    const double deviation = mean * theory::weighted_share_cv(node.vnodes, positions);
    squares += deviation * deviation + (mean - 1) * (mean - 1);
    equal = equal && (members == 0 || node.vnodes == vnodes);
    vnodes = node.vnodes;
    ++members;
  }
  ExpectedBalance result;
  result.cv = std::sqrt(squares / static_cast<double>(members));
  if (equal) result.peak_to_mean = theory::peak_to_mean(members, vnodes);
  return result;
}

Shares shares_of(const Fleet& fleet) {
  return with_ring(fleet, [&](const auto& ring) {
    Shares shares{fleet.placement,    fleet.has_tokens,         node_shares(ring),
                  ring.vnode_count(), clockwise::balance(ring), {}};
    shares.expected = expected_balance(shares.nodes);
    return shares;
  });
}

}  // namespace ringctl
