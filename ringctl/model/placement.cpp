// SPDX-License-Identifier: MIT
#include "model/placement.hpp"

#include <utility>
#include <vector>

#include "model/text.hpp"

namespace ringctl {

namespace {

/// Building a ring of this size takes 3 GB; more is a mistake in a weight or in --vnodes.
constexpr std::uint64_t most_positions = std::uint64_t{1} << 26;

}  // namespace

std::string hash_name(const Placement& placement) {
  const std::string name = placement.xxh64 ? "xxh64" : "xxh3";
  return placement.seed == 0 ? name : name + ':' + std::to_string(placement.seed);
}

void check_positions(const Fleet& fleet, const Placement& placement) {
  const std::string at_vnodes = " vnodes at --vnodes " + std::to_string(placement.vnodes);
  std::uint64_t positions = 0;
  for (const FleetNode& node : fleet.nodes) {
    const std::uint64_t vnodes = clockwise::vnode_count(node.options.weight, placement.vnodes);
    if (vnodes > max_vnodes) {
      fail_at(fleet, node,
              "weight " + exact(node.options.weight) + " needs more than " + grouped(max_vnodes) +
                  at_vnodes);
    }
    positions += vnodes;
    if (positions > most_positions) {
      fail_at(fleet, node, "the fleet needs more than " + grouped(most_positions) + at_vnodes);
    }
  }
}

template <clockwise::HashFunction Hash>
Ring<Hash> make_ring(const Fleet& fleet, const Placement& placement, const Hash& hash) {
  check_positions(fleet, placement);
  std::vector<std::pair<std::string, clockwise::NodeOptions>> nodes;
  nodes.reserve(fleet.nodes.size());
  for (const FleetNode& node : fleet.nodes) nodes.emplace_back(node.id, node.options);
  return Ring<Hash>(nodes, clockwise::RingOptions{placement.vnodes}, hash);
}

template Ring<clockwise::Xxh3> make_ring(const Fleet&, const Placement&, const clockwise::Xxh3&);
template Ring<clockwise::Xxh64> make_ring(const Fleet&, const Placement&, const clockwise::Xxh64&);

}  // namespace ringctl
