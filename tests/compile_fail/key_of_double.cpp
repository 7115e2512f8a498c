// SPDX-License-Identifier: MIT
// expect: a key must be text, contiguous bytes, an integer or enum
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
const double key = 4.2;
#else
const int key = 42;
#endif

const std::string& owner(const clockwise::HashRing<>& ring) { return ring.lookup(key); }
