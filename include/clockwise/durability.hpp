// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DURABILITY_HPP
#define CLOCKWISE_DURABILITY_HPP

// What a failure costs, under one name: of nodes at random, of a rack or datacenter, and for reads
// and writes.

#include "clockwise/domain_losses.hpp"
#include "clockwise/quorum.hpp"
#include "clockwise/replica_sets.hpp"

#endif  // CLOCKWISE_DURABILITY_HPP
