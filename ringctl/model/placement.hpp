// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_PLACEMENT_HPP
#define RINGCTL_MODEL_PLACEMENT_HPP

#include <clockwise/hash_ring.hpp>
#include <cstdint>
#include <string>

#include "model/fleet.hpp"

namespace ringctl {

/// How nodes and keys are placed on the circle; every program of a fleet must use the same.
struct Placement {
  std::uint32_t vnodes = 200;
  bool xxh64 = false;  ///< Otherwise XXH3.
  std::uint64_t seed = 0;
};

/// The most vnodes that a node can have.
inline constexpr std::uint64_t max_vnodes = clockwise::max_vnodes_per_node;

/// Returns the hash as --hash takes it: "xxh3", "xxh64:7".
std::string hash_name(const Placement& placement);

/// The index has 32 bits because fleets of more than 65,535 nodes must work.
template <clockwise::HashFunction Hash>
using Ring = clockwise::HashRing<Hash, std::string, std::uint32_t>;

/// Returns use(hash) for the chosen policy.
template <class Use>
auto with_hash(const Placement& placement, Use use) {
  return placement.xxh64 ? use(clockwise::Xxh64{placement.seed})
                         : use(clockwise::Xxh3{placement.seed});
}

/// Throws InputError, with the line, if the fleet needs more positions than are supported.
void check_positions(const Fleet& fleet, const Placement& placement);

/// Builds clockwise's own ring of the fleet. Throws InputError as check_positions does.
template <clockwise::HashFunction Hash>
Ring<Hash> make_ring(const Fleet& fleet, const Placement& placement, const Hash& hash);

extern template Ring<clockwise::Xxh3> make_ring(const Fleet&, const Placement&,
                                                const clockwise::Xxh3&);
extern template Ring<clockwise::Xxh64> make_ring(const Fleet&, const Placement&,
                                                 const clockwise::Xxh64&);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_PLACEMENT_HPP
