// SPDX-License-Identifier: MIT
// expect: satisfaction of .*Ring<Before>|does not satisfy .*Ring
#include <clockwise/hash_ring.hpp>
#include <clockwise/maglev.hpp>
#include <clockwise/movement.hpp>

#if CLOCKWISE_TEST_MISUSE
using Scheme = clockwise::Maglev<>;
#else
using Scheme = clockwise::HashRing<>;
#endif

double moved(const Scheme& before, const Scheme& after) {
  return clockwise::movement(before, after).fraction();
}
