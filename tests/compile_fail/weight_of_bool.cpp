// SPDX-License-Identifier: MIT
// expect: satisfaction of .Weight<|does not satisfy .Weight
#include <clockwise/hash_ring.hpp>

void join(clockwise::HashRing<>& ring) {
#if CLOCKWISE_TEST_MISUSE
  ring.add("a", false);  // would drain it
#else
  ring.add("a", 0);
#endif
}
