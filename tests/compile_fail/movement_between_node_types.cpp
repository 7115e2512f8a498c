// SPDX-License-Identifier: MIT
// expect: same_as<typename .*node_type, typename .*node_type>
#include <clockwise/hash_ring.hpp>
#include <clockwise/movement.hpp>

using Named = clockwise::HashRing<>;
#if CLOCKWISE_TEST_MISUSE
using Numbered = clockwise::HashRing<clockwise::Xxh3, int>;
#else
using Numbered = clockwise::HashRing<>;
#endif

double moved(const Named& before, const Numbered& after) {
  return clockwise::movement(before, after).fraction();
}
