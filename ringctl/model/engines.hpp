// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_ENGINES_HPP
#define RINGCTL_MODEL_ENGINES_HPP

#include <clockwise/compat/haproxy.hpp>
#include <clockwise/compat/redis_slot_map.hpp>
#include <memory>

#include "model/fleet.hpp"
#include "model/placed_fleet.hpp"

namespace ringctl {

// Engines that read additional columns of a fleet file, or that have no circle. Each function
// throws InputError, with the line, for a column, and the library's exceptions for a node.

/// Places nodes by the column tokens.
std::unique_ptr<PlacedFleet> place_cassandra(const Fleet& fleet, const DeadNodes& dead);

/// Places nodes by the column server_id, if set.
std::unique_ptr<PlacedFleet> place_haproxy(const Fleet& fleet, const DeadNodes& dead,
                                           const clockwise::HaproxyOptions& options);

/// Places nodes by the columns slots, "0-5460 6000", and replica_of. If no node lists slots, they
/// are split evenly as redis-cli does.
std::unique_ptr<PlacedFleet> place_redis(const Fleet& fleet, const DeadNodes& dead);

/// Returns the slots that place_redis places nodes by.
clockwise::RedisSlotMap redis_slots(const Fleet& fleet);
std::unique_ptr<PlacedFleet> placed_slots(clockwise::RedisSlotMap map, const DeadNodes& dead = {});

}  // namespace ringctl

#endif  // RINGCTL_MODEL_ENGINES_HPP
