// SPDX-License-Identifier: MIT
// expect: no matching (member )?function for call to .*add
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
constexpr std::nullptr_t id = nullptr;  // a pointer to text, which would be read
#else
constexpr const char* id = "a";
#endif

void join(clockwise::HashRing<>& ring) { ring.add(id); }
