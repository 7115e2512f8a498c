// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_ENGINES_HPP
#define RINGCTL_MODEL_ENGINES_HPP

#include <clockwise/compat/haproxy.hpp>
#include <memory>

#include "model/fleet.hpp"
#include "model/placed_fleet.hpp"

namespace ringctl {

// Engines that read further columns of a fleet file, or that have no circle. Each function throws
// InputError, with the line, for a column, and what the library throws for a node.

/// Places nodes by the column tokens.
std::unique_ptr<PlacedFleet> place_cassandra(const Fleet& fleet);

/// Places nodes by the column server_id, if it is set.
std::unique_ptr<PlacedFleet> place_haproxy(const Fleet& fleet,
                                           const clockwise::HaproxyOptions& options);

std::unique_ptr<PlacedFleet> place_envoy_maglev(const Fleet& fleet);

/// Places nodes by the columns slots, "0-5460 6000", and replica_of. If no node lists slots, they
/// are split evenly as redis-cli does.
std::unique_ptr<PlacedFleet> place_redis(const Fleet& fleet);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_ENGINES_HPP
