// SPDX-License-Identifier: MIT
// expect: satisfaction of .Weight<|does not satisfy .Weight
#include <clockwise/hash_ring.hpp>

void join(clockwise::HashRing<>& ring) {
#if CLOCKWISE_TEST_MISUSE
  ring.add("a", '2');  // would weigh 50
#else
  ring.add("a", 2);
#endif
}
