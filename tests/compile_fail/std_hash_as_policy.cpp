// SPDX-License-Identifier: MIT
// expect: required expression .hash.bytes.. is invalid|hash.bytes.. would be invalid
#include <clockwise/hash_ring.hpp>

#include <functional>

#if CLOCKWISE_TEST_MISUSE
using Hash = std::hash<std::string_view>;
#else
using Hash = clockwise::Xxh64;
#endif

const std::string& owner(const clockwise::HashRing<Hash>& ring) { return ring.lookup("key"); }
