// SPDX-License-Identifier: MIT
// expect: a node must be text, an integer
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
constexpr std::nullptr_t id = nullptr;  // a pointer to text, which would be read
#else
constexpr const char* id = "a";
#endif

bool leave(clockwise::HashRing<>& ring) { return ring.remove(id); }
