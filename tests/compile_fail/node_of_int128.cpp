// SPDX-License-Identifier: MIT
// expect: a node must be text, an integer.*of up to 64 bits
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
using Node = __int128;  // an integer only under -std=gnu++20
#else
using Node = long long;
#endif

bool contains(const clockwise::HashRing<clockwise::Xxh3, Node>& ring, Node node) {
  return ring.contains(node);
}
