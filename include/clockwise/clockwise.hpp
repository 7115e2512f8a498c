// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_CLOCKWISE_HPP
#define CLOCKWISE_CLOCKWISE_HPP

// The whole library except shared.hpp and compat/, which include more: include those if needed.

#include "clockwise/arc.hpp"
#include "clockwise/balance.hpp"
#include "clockwise/bounded_assignment.hpp"
#include "clockwise/bounded_load.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/config.hpp"
#include "clockwise/domain_losses.hpp"
#include "clockwise/durability.hpp"
#include "clockwise/fleet.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/hot_key.hpp"
#include "clockwise/jump.hpp"
#include "clockwise/maglev.hpp"
#include "clockwise/migration.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/movement.hpp"
#include "clockwise/multi_probe.hpp"
#include "clockwise/node.hpp"
#include "clockwise/quorum.hpp"
#include "clockwise/rendezvous.hpp"
#include "clockwise/replica_sets.hpp"
#include "clockwise/replica_table.hpp"
#include "clockwise/replication.hpp"
#include "clockwise/slot_map.hpp"
#include "clockwise/theory.hpp"
#include "clockwise/token_allocator.hpp"
#include "clockwise/token_ring.hpp"
#include "clockwise/transition.hpp"
#include "clockwise/version.hpp"
#include "clockwise/wire.hpp"
#include "clockwise/wire/difference.hpp"
#include "clockwise/wire/membership.hpp"

#endif  // CLOCKWISE_CLOCKWISE_HPP
