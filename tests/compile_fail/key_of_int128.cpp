// SPDX-License-Identifier: MIT
// expect: a key must be text.*of up to 64 bits
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
constexpr __int128 key = 42;  // an integer only under -std=gnu++20
#else
constexpr long long key = 42;
#endif

const std::string& owner(const clockwise::HashRing<>& ring) { return ring.lookup(key); }
