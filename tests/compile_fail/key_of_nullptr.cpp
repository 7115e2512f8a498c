// SPDX-License-Identifier: MIT
// expect: a key must be text, contiguous bytes, an integer or enum
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
constexpr std::nullptr_t key = nullptr;  // a pointer to text, which would be read
#else
constexpr const char* key = "key";
#endif

const std::string& owner(const clockwise::HashRing<>& ring) { return ring.lookup(key); }
