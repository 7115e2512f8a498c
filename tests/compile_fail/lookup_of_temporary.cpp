// SPDX-License-Identifier: MIT
// expect: deleted (member )?function.*lookup
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
const std::string& owner() { return clockwise::HashRing({"a", "b"}).lookup("key"); }
#else
std::uint16_t owner() { return clockwise::HashRing({"a", "b"}).lookup_index({}); }
#endif
