// SPDX-License-Identifier: MIT
// expect: a key must be text.*not bool
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
constexpr bool key = true;
#else
constexpr int key = 1;
#endif

const std::string& owner(const clockwise::HashRing<>& ring) { return ring.lookup(key); }
