// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_REDIS_CHANGE_HPP
#define RINGCTL_MODEL_REDIS_CHANGE_HPP

#include <clockwise/compat/redis_slot_map.hpp>

#include "model/fleet.hpp"

namespace ringctl {

/// The slots before and after a change of a Redis Cluster.
struct RedisChange {
  clockwise::RedisSlotMap before;
  clockwise::RedisSlotMap after;
  bool rebalanced = false;  ///< Otherwise the slots after are as listed.
};

/// Returns the slots before and after a change. A slot that `after` lists goes to the master that
/// lists it. Any other slot stays with its master of `before` or, if that is no longer a master,
/// goes to the first of that master's replicas that has become one. Then, if `after` lists no slots
/// at all, if a slot has no master, or if a new master has no slot, slots move as by `redis-cli
/// --cluster rebalance --cluster-use-empty-masters`, with weight 0 for the masters that leave.
/// Throws InputError as place_redis does.
RedisChange redis_change(const Fleet& before, const Fleet& after);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_REDIS_CHANGE_HPP
