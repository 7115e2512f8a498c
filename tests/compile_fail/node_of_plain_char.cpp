// SPDX-License-Identifier: MIT
// expect: a node must be text, an integer.*but not bool.*nor plain char
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
constexpr char id = 'a';  // means "a"; as a number it would be node "97"
#else
constexpr const char* id = "a";
#endif

bool leave(clockwise::HashRing<>& ring) { return ring.remove(id); }
