// SPDX-License-Identifier: MIT
#ifndef RINGCTL_PLACEMENT_HPP
#define RINGCTL_PLACEMENT_HPP

#include <clockwise/hash_ring.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"
#include "fleet.hpp"
#include "text.hpp"

namespace CLI {
class App;
}

namespace ringctl {

/// How nodes and keys are placed on the circle; every program of a fleet must use the same.
struct Placement {
  std::uint32_t vnodes = 200;
  bool xxh64 = false;  ///< Otherwise XXH3.
  std::uint64_t seed = 0;
};

/// Adds --vnodes and --hash.
void add_placement_options(CLI::App& app, Placement& placement);

/// Returns the hash as --hash takes it: "xxh3", "xxh64:7".
std::string hash_name(const Placement& placement);

/// The index has 32 bits because fleets of more than 65,535 nodes must work.
template <clockwise::HashFunction Hash>
using Ring = clockwise::HashRing<Hash, std::string, std::uint32_t>;

/// Calls use(hash) with the chosen policy.
template <class Use>
void with_hash(const Placement& placement, Use use) {
  if (placement.xxh64) {
    use(clockwise::Xxh64{placement.seed});
  } else {
    use(clockwise::Xxh3{placement.seed});
  }
}

/// Throws InputError, with the line, if the fleet needs more positions than are supported.
void check_positions(const Fleet& fleet, const Placement& placement);

template <clockwise::HashFunction Hash>
Ring<Hash> make_ring(const Fleet& fleet, const Placement& placement, const Hash& hash) {
  check_positions(fleet, placement);
  std::vector<std::pair<std::string, clockwise::NodeOptions>> nodes;
  nodes.reserve(fleet.nodes.size());
  for (const FleetNode& node : fleet.nodes) nodes.emplace_back(node.id, node.options);
  return Ring<Hash>(nodes, clockwise::RingOptions{placement.vnodes}, hash);
}

/// Parses a decimal whole number from `least` to `most`. Throws a CLI error that names the option
/// if `text` is anything else.
std::uint64_t parse_count(const std::string& text, const std::string& option, std::uint64_t least,
                          std::uint64_t most);

}  // namespace ringctl

#endif  // RINGCTL_PLACEMENT_HPP
