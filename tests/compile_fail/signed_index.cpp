// SPDX-License-Identifier: MIT
// expect: signed_integral<(_Tp|int)>.*evaluated to .?false
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
using Index = int;
#else
using Index = unsigned;
#endif

using Ring = clockwise::HashRing<clockwise::Xxh3, std::string, Index>;
const std::string& owner(const Ring& ring) { return ring.lookup("key"); }
