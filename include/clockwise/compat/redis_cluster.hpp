// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_COMPAT_REDIS_CLUSTER_HPP
#define CLOCKWISE_COMPAT_REDIS_CLUSTER_HPP

// Redis Cluster and Valkey: slots, the map of their owners, and the replies that a map is made
// from.

#include "clockwise/compat/redis_replies.hpp"
#include "clockwise/compat/redis_slot_map.hpp"

#endif  // CLOCKWISE_COMPAT_REDIS_CLUSTER_HPP
