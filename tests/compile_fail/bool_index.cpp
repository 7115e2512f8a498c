// SPDX-License-Identifier: MIT
// expect: Index must number nodes, so it cannot be bool
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
using Index = bool;
#else
using Index = unsigned char;
#endif

clockwise::HashRing<clockwise::Xxh3, std::string, Index> ring;
