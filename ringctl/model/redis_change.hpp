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
  bool rebalanced = false;  ///< Otherwise the slots after are those listed.
};

/// Returns what a change does to the slots.
///
/// Each slot that `after` lists is where it says. Another stays with its master of `before`; if
/// that is no master any more, with the first of its replicas that has become one. Then, if `after`
/// lists no slots at all, if a slot is left without a master, or if a new master is left without a
/// slot, the slots are moved as `redis-cli --cluster rebalance --cluster-use-empty-masters` moves
/// them, with weight 0 for the masters that leave. Throws InputError as place_redis does.
RedisChange redis_change(const Fleet& before, const Fleet& after);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_REDIS_CHANGE_HPP
