// SPDX-License-Identifier: MIT
// expect: satisfaction of .IdRange<|does not satisfy .IdRange
#include <clockwise/hash_ring.hpp>
#include <clockwise/quorum.hpp>
#include <string>
#include <vector>

#if CLOCKWISE_TEST_MISUSE
const std::string dead = "db-1";  // a range, but of characters
#else
const std::vector<std::string> dead{"db-1"};
#endif

double readable(const clockwise::HashRing<>& ring) {
  return clockwise::Quorum{3, 2, 2}.available(ring, dead).readable;
}
