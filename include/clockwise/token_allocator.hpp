// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TOKEN_ALLOCATOR_HPP
#define CLOCKWISE_TOKEN_ALLOCATOR_HPP

// Chooses a joining node's tokens, so a few tokens give even shares.
//
//   clockwise::TokenRing<> ring;
//   for (const auto& server : fleet) {
//     ring.add(server, clockwise::allocate_tokens(ring, {}, {.vnodes = 8, .replicas = 3}));
//   }
//
// A share varies by 7% with 200 random vnodes, by 35% with 8. Eight chosen tokens stay within a few
// percent, and a small table means fewer replica sets, shorter repair plans and less gossip. The
// cost: tokens depend on the order of joins, so they are state that every program needs; a HashRing
// depends only on names.

#include <algorithm>  // sort
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t, uint64_t
#include <string>     // string, to_string
#include <vector>     // vector

#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/ring/token_allocation.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// The options of allocate_tokens.
struct AllocationOptions {
  std::uint32_t vnodes = 16;  ///< Tokens of a node of weight 1, as RingOptions::vnodes.
  /// Replicas of each key in each datacenter; if given by datacenter, the number for the node's
  /// own. Spread over racks unless Spread::nodes is given.
  Replication replicas = 3;
};

namespace detail {

/// Returns how many replicas of a key a datacenter holds. Throws std::invalid_argument for 0.
inline std::size_t replicas_in(const std::string& datacenter, const Replication& replication) {
  const DatacenterReplicas* const wanted = replication.by_datacenter();
  if (wanted == nullptr) {
    if (replication.requested() == 0) fail_no_replicas();
    return replication.requested();
  }
  for (const auto& entry : *wanted) {
    if (entry.datacenter == datacenter && entry.replicas > 0) return entry.replicas;
  }
  fail_invalid("replicas must be at least 1 in datacenter " + quoted(datacenter) + ", got 0");
}

}  // namespace detail

/// Returns tokens for a node that is about to join `ring`: vnode_count(weight, vnodes) of them, as
/// many vnodes as a HashRing would give it, and none that the ring has. They balance, by weight,
/// the part of the circle that each member of the datacenter holds a replica of. The tokens are a
/// function of the ring and the options, the same on every platform.
///
/// Throws std::invalid_argument if vnodes or the replicas of the node's datacenter are 0, vnodes is
/// above max_vnodes_per_node, or the weight is negative, NaN or infinite; std::length_error for
/// more than max_vnodes_per_node tokens. O(V R M) for V tokens among M, and more if a rack is rare:
/// meant for few vnodes.
template <Ring R>
std::vector<std::uint64_t> allocate_tokens(const R& ring, NodeOptions joining,
                                           const AllocationOptions& options = {}) {
  if (options.vnodes == 0 || options.vnodes > max_vnodes_per_node) {
    detail::fail_invalid("vnodes must be between 1 and " + std::to_string(max_vnodes_per_node) +
                         ", got " + std::to_string(options.vnodes));
  }
  const std::size_t replicas = detail::replicas_in(joining.datacenter, options.replicas);
  joining.weight = detail::checked_weight("(joining)", joining.weight);
  const std::uint64_t count = clockwise::vnode_count(joining.weight, options.vnodes);
  if (count > max_vnodes_per_node) {
    detail::fail_length("a weight of " + std::to_string(joining.weight) + " needs " +
                        std::to_string(count) + " tokens; the maximum is " +
                        std::to_string(max_vnodes_per_node));
  }
  if (count == 0) return {};
  const Spread spread = options.replicas.spread().value_or(Spread::racks);
  auto tokens =
      detail::TokenAllocation(ring, joining, static_cast<std::size_t>(count), replicas, spread)
          .tokens();
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

}  // namespace clockwise

#endif  // CLOCKWISE_TOKEN_ALLOCATOR_HPP
