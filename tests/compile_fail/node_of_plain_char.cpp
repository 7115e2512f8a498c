// SPDX-License-Identifier: MIT
// expect: a node is text, an integer.*but not bool.*nor plain char
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
constexpr char id = 'a';  // meant is "a": as a number it would name node "97"
#else
constexpr const char* id = "a";
#endif

bool leave(clockwise::HashRing<>& ring) { return ring.remove(id); }
