// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_PLACEMENT_HPP
#define RINGCTL_MODEL_PLACEMENT_HPP

#include <clockwise/hash.hpp>
#include <clockwise/node.hpp>
#include <cstdint>
#include <string>

namespace ringctl {

/// How nodes and keys are placed on the circle; every program of a fleet must use the same
/// placement.
struct Placement {
  std::uint32_t vnodes = 200;
  bool xxh64 = false;  ///< Otherwise XXH3.
  std::uint64_t seed = 0;
  double weight_unit = 1;  ///< The weights of the file were divided by this.
};

/// The most vnodes that a node can have.
inline constexpr std::uint64_t max_vnodes = clockwise::max_vnodes_per_node;

/// Returns the hash as --hash takes it: "xxh3", "xxh64:7".
std::string hash_name(const Placement& placement);

/// Returns the hash and, if it is not 1, the unit of weights, for text.
std::string placement_text(const Placement& placement);

/// Returns true if both hash a key alike.
inline bool same_hash(const Placement& a, const Placement& b) {
  return a.xxh64 == b.xxh64 && a.seed == b.seed;
}

/// Returns use(hash) for the chosen policy.
template <class Use>
auto with_hash(const Placement& placement, Use use) {
  return placement.xxh64 ? use(clockwise::Xxh64{placement.seed})
                         : use(clockwise::Xxh3{placement.seed});
}

}  // namespace ringctl

#endif  // RINGCTL_MODEL_PLACEMENT_HPP
