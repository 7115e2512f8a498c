// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DURABILITY_HPP
#define CLOCKWISE_DURABILITY_HPP

// The cost of failures, in one header: of random nodes, of a rack or datacenter, and for reads and
// writes.

#include "clockwise/domain_losses.hpp"
#include "clockwise/quorum.hpp"
#include "clockwise/replica_sets.hpp"

#endif  // CLOCKWISE_DURABILITY_HPP
